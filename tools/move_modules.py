"""Move modules to the layout of folders: git mv, and what names them: imports, cimports, paths.

python tools/move_modules.py          do it
python tools/move_modules.py --check  list what would collide, and change nothing

Imports are rewritten by their syntax trees, so that a module that is imported from its package
under its own name is renamed where it is used. Dotted names and paths in other text are replaced.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = "tallylearn"
SOURCE = Path("src") / ROOT
PYTHON = ("src", "tests", "benchmarks", "parity", "examples", "outside")
TEXT = ("*.pxd", "*.md", "*.toml", "*.txt", "*.sh", "Makefile")

# old path below src/tallylearn, new path; a folder moves with what is in it and not listed itself
MOVES = {
    # the root is emptied
    "tables.py": "tables/__init__.py",
    "spelling.py": "tables/string_formats.py",
    "forms.py": "tables/field_schemas.py",
    "cores.py": "runtime/cpu_count.py",
    "blas.py": "runtime/blas_threads.py",
    "budgets.py": "runtime/memory_budget.py",
    "crews.py": "runtime/worker_pool.py",
    "progress_bars.py": "runtime/progress.py",
    "writing.py": "runtime/atomic_write.py",
    "engines.py": "engines/__init__.py",
    "relays.py": "engines/part_reader.py",
    "additions.py": "engines/ordered_sum.py",
    "intervals.py": "statistics/confidence_intervals.py",
    "significance.py": "statistics/significance_tests.py",
    "adjustments.py": "statistics/multiple_comparisons.py",
    "resampling.py": "statistics/resampling.py",
    "roc_area.py": "statistics/roc_area.py",
    "identifiers.py": "screening/identifiers.py",
    "viewed_rows.py": "screening/table_sample.py",
    "leaks.py": "screening/leakage.py",
    "column_scores.py": "screening/column_scores.py",
    "units.py": "tables/units.py",
    "cautions.py": "screening/cautions.py",
    "problems.py": "inspection/problem.py",
    "checking.py": "inspection/check.py",
    "check_report.py": "inspection/check_report.py",
    "column_sums.py": "inspection/column_sums.py",
    "description": "inspection/description",
    # estimators
    "doors": "estimators",
    "doors/asking.py": "estimators/prediction_input.py",
    "doors/containers.py": "estimators/output_containers.py",
    "doors/counted.py": "estimators/tally_checks.py",
    "doors/exchange.py": "estimators/sklearn_trees.py",
    "doors/fit_cautions.py": "estimators/fit_warnings.py",
    "doors/folding.py": "estimators/fold_tallies.py",
    "doors/intake.py": "estimators/fit_input.py",
    "doors/manner.py": "estimators/call_style.py",
    "doors/onepass.py": "estimators/one_pass.py",
    "doors/plain.py": "estimators/in_memory.py",
    "doors/rounds.py": "estimators/iterative.py",
    "doors/schemas.py": "estimators/schema_checks.py",
    "doors/shell.py": "estimators/sklearn_shell.py",
    "doors/shortest_calls.py": "estimators/constructor_repr.py",
    "doors/tasks.py": "estimators/predictors.py",
    "doors/transforms.py": "estimators/transformers.py",
    "doors/turns.py": "estimators/fit_lock.py",
    "doors/unanswered.py": "estimators/missing_targets.py",
    "doors/unseen.py": "estimators/unseen_categories.py",
    "doors/untallied.py": "estimators/without_tally.py",
    # preprocessing
    "prepare": "preprocessing",
    "prepare/chain.py": "preprocessing/fitted_pipeline.py",
    "prepare/predicted_gaps.py": "preprocessing/predicted_values.py",
    "prepare/preparation.py": "preprocessing/transformer.py",
    "prepare/stored_turnings.py": "preprocessing/stored_transforms.py",
    "prepare/turned_lesson.py": "preprocessing/transformed_input.py",
    "prepare/likely_components.py": "preprocessing/minka_dimension.py",
    # kernels, by their algorithm
    "kernels/boxing.py": "kernels/kd_tree_query.py",
    "kernels/boxing.pxd": "kernels/kd_tree_query.pxd",
    "kernels/halving.py": "kernels/kd_tree_build.py",
    "kernels/clustering.py": "kernels/kmeans_updates.py",
    "kernels/coordinates.py": "kernels/coordinate_descent.py",
    "kernels/correcting.py": "kernels/perceptron_updates.py",
    "kernels/counting.py": "kernels/class_counts.py",
    "kernels/descending.py": "kernels/sgd.py",
    "kernels/distinct.py": "kernels/distinct_hashes.py",
    "kernels/documents.py": "kernels/sparse_rows.py",
    "kernels/gathering.py": "kernels/centring.py",
    "kernels/likelihoods.py": "kernels/logistic_loss.py",
    "kernels/limbs.py": "kernels/long_integers.py",
    "kernels/linking.py": "kernels/cost_complexity.py",
    "kernels/multiplying.py": "kernels/exact_products.py",
    "kernels/numerals.py": "kernels/number_parsing.py",
    "kernels/numerals.pxd": "kernels/number_parsing.pxd",
    "kernels/parsing.py": "kernels/csv_parsing.py",
    "kernels/parsing.pxd": "kernels/csv_parsing.pxd",
    "kernels/residuals.py": "kernels/compensated_residuals.py",
    "kernels/scaling.py": "kernels/column_scaling.py",
    "kernels/scoring.py": "kernels/evidence_sums.py",
    "kernels/sifting.py": "kernels/top_k.py",
    "kernels/sketching.py": "kernels/quantile_sketch.py",
    "kernels/spacing.py": "kernels/row_distances.py",
    "kernels/subsets.py": "kernels/best_subsets.py",
    "kernels/summing.py": "kernels/exact_sums.py",
    "kernels/sweeping.py": "kernels/sweep_operator.py",
    "kernels/tokens.py": "kernels/tokenizer.py",
    "kernels/triangles.py": "kernels/qr_triangle.py",
    "kernels/walking.py": "kernels/tree_predict.py",
    "kernels/weighing.py": "kernels/exact_weighted_sums.py",
    "kernels/words.py": "kernels/string_codes.py",
    "kernels/words.pxd": "kernels/string_codes.pxd",
    "kernels/trees/chance.py": "kernels/trees/random_numbers.py",
    "kernels/trees/chance.pxd": "kernels/trees/random_numbers.pxd",
    "kernels/trees/drawn_cuts.py": "kernels/trees/random_thresholds.py",
    "kernels/trees/drawn_cuts.pxd": "kernels/trees/random_thresholds.pxd",
    "kernels/trees/drawn_rows.py": "kernels/trees/random_split_rows.py",
    "kernels/trees/drawn_rows.pxd": "kernels/trees/random_split_rows.pxd",
    "kernels/trees/gaps.py": "kernels/trees/missing_values.py",
    "kernels/trees/gaps.pxd": "kernels/trees/missing_values.pxd",
    "kernels/trees/lines.py": "kernels/trees/code_sums.py",
    "kernels/trees/lines.pxd": "kernels/trees/code_sums.pxd",
    "kernels/trees/question.py": "kernels/trees/split_test.py",
    "kernels/trees/question.pxd": "kernels/trees/split_test.pxd",
    "kernels/trees/medians.py": "kernels/trees/running_medians.py",
    "kernels/trees/medians.pxd": "kernels/trees/running_medians.pxd",
    # families of models
    "models/dummies.py": "models/baselines.py",
    "models/generative.py": "models/naive_bayes/generative.py",
    "models/class_priors.py": "models/naive_bayes/class_priors.py",
    "models/linear": "models/glm/linear",
    "models/logistic": "models/glm/logistic",
    "models/linear/supports.py": "models/glm/linear/projected_newton.py",
    "models/linear/working_sets.py": "models/glm/linear/active_set.py",
    "models/linear/column_slopes.py": "models/glm/linear/column_gradients.py",
    "models/linear/folded.py": "models/glm/linear/cross_validated_penalty.py",
    "models/logistic/conjugate_steps.py": "models/glm/logistic/newton_cg.py",
    "models/logistic/orthant_steps.py": "models/glm/logistic/orthant_wise_newton.py",
    "models/logistic/lasso_steps.py": "models/glm/logistic/active_set.py",
    "models/logistic/quasi_newton.py": "models/glm/logistic/lbfgs.py",
    "models/logistic/searches.py": "models/glm/logistic/newton.py",
    "models/logistic/search_tasks.py": "models/glm/logistic/line_search.py",
    "models/logistic/loss_slopes.py": "models/glm/logistic/loss_derivatives.py",
    "models/logistic/curvatures.py": "models/glm/logistic/hessians.py",
    "models/logistic/chosen_curvatures.py": "models/glm/logistic/hessian_choice.py",
    "models/perceptron.py": "models/glm/perceptron.py",
    "models/perceptron_weights.py": "models/glm/perceptron_model.py",
    "models/lms.py": "models/glm/lms.py",
    "models/lms_weights.py": "models/glm/lms_model.py",
    "models/linear_classes.py": "models/glm/linear_classifier.py",
    "models/linear_geometry.py": "models/glm/decision_boundaries.py",
    "models/separating_planes.py": "models/glm/separating_planes.py",
    "models/gradient_descent.py": "models/glm/gradient_descent.py",
    "models/late_columns.py": "models/glm/constant_columns.py",
    "models/design_columns.py": "models/design/columns.py",
    "models/design_matrix.py": "models/design/matrix.py",
    "models/column_survey.py": "models/design/column_survey.py",
    "models/column_gaps.py": "models/design/missing_values.py",
    "models/filled_scatter.py": "models/design/filled_scatter.py",
    "models/pooling.py": "models/design/pooled_categories.py",
    "models/rare_values.py": "models/design/rare_categories.py",
    "models/telling_values.py": "models/design/informative_categories.py",
    "models/neighbours": "models/neighbors",
    "models/neighbours/boxes.py": "models/neighbors/kd_tree.py",
    "models/neighbours/sieve.py": "models/neighbors/matrix_search.py",
    "models/neighbours/gower_sieve.py": "models/neighbors/gower_search.py",
    "models/neighbours/scan.py": "models/neighbors/brute_force.py",
    "models/neighbours/query_parts.py": "models/neighbors/query_batches.py",
    "models/nearest_centroid.py": "models/nearest_centroids/nearest_centroid.py",
    "models/centroids.py": "models/nearest_centroids/centroids.py",
    "models/exemplars.py": "models/nearest_centroids/exemplars.py",
    "models/mixed_space.py": "models/nearest_centroids/mixed_space.py",
    "models/clusters": "models/clustering",
    "models/forests/nursery.py": "models/forests/forest_grower.py",
    "models/forests/stems.py": "models/forests/prediction_arrays.py",
    "models/forests/trees_together.py": "models/forests/packed_trees.py",
    "models/forests/bags.py": "models/forests/bootstrap.py",
    "models/trees/growing/gaps.py": "models/trees/growing/missing_values.py",
    # sources
    "sources/said_columns.py": "sources/column_arguments.py",
    "sources/taken_columns.py": "sources/role_columns.py",
    "sources/columnar.py": "sources/parquet.py",
    # reporting
    "plots": "reporting/charts",
}


def modules(moves: dict[str, str]) -> dict[str, str]:
    """Every module and package that moves, by its dotted name."""
    found: dict[str, str] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        old = path.relative_to(SOURCE).as_posix()
        new = destination(old, moves)
        if new != old:
            found[dotted(old)] = dotted(new)
    for old, new in moves.items():
        if not old.endswith((".py", ".pxd")) and old != new:
            found[dotted(old)] = dotted(new)
    return found


def destination(path: str, moves: dict[str, str]) -> str:
    """Where a file goes: as it is listed, or with the longest folder that is."""
    if path in moves:
        return moves[path]
    folders = [old for old in moves if path.startswith(old + "/")]
    if not folders:
        return path
    longest = max(folders, key=len)
    return moves[longest] + path[len(longest) :]


def dotted(path: str) -> str:
    return ".".join([ROOT, *re.sub(r"(/__init__)?\.pyx?$", "", path).split("/")])


def bindings(function: ast.AST) -> set[str]:
    """The names that a function binds: parameters, and what is assigned in it."""
    return {
        node.arg if isinstance(node, ast.arg) else node.id
        for node in ast.walk(function)
        if isinstance(node, ast.arg)
        or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    }


class Rewriting:
    """The imports of one file, and the names that they bind."""

    def __init__(self, text: str, moved: dict[str, str]) -> None:
        self.text, self.moved, self.tree = text, moved, ast.parse(text)
        self.renamed: dict[str, str] = {}
        self.bound = {
            node.id if isinstance(node, ast.Name) else node.arg
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Name | ast.arg)
        } | {
            node.name
            for node in ast.walk(self.tree)
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
        }
        self.edits: list[tuple[int, int, str]] = []
        starts = [0]
        for line in text.encode().split(b"\n"):
            starts.append(starts[-1] + len(line) + 1)
        self.starts = starts

    def done(self) -> str:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom) and not node.level:
                self._from(node)
            elif isinstance(node, ast.Import):
                self._import(node)
        self._rename(self.tree, self.renamed)
        raw = self.text.encode()
        for start, end, new in sorted(self.edits, reverse=True):
            raw = raw[:start] + new.encode() + raw[end:]
        return raw.decode()

    def _rename(self, node: ast.AST, names: dict[str, str]) -> None:
        """Rename where a module is used, but not in functions that bind its name themselves."""
        load = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        if load and node.id in names:
            self._edit(node, names[node.id])
        for child in ast.iter_child_nodes(node):
            inner = names
            if isinstance(child, ast.FunctionDef | ast.Lambda | ast.GeneratorExp | ast.ListComp):
                own = bindings(child)
                inner = {old: new for old, new in names.items() if old not in own}
            self._rename(child, inner)

    def _edit(self, node: ast.expr | ast.stmt, new: str) -> None:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self.starts[node.lineno - 1] + node.col_offset
        self.edits.append((start, self.starts[node.end_lineno - 1] + node.end_col_offset, new))

    def _from(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        groups: dict[str, list[str]] = {}
        for alias in node.names:
            whole = f"{module}.{alias.name}"
            if whole in self.moved:
                package, _, name = self.moved[whole].rpartition(".")
                groups.setdefault(package, []).append(self._bind(alias, name))
            else:
                kept = alias.name + (f" as {alias.asname}" if alias.asname else "")
                groups.setdefault(self.moved.get(module, module), []).append(kept)
        old = [a.name + (f" as {a.asname}" if a.asname else "") for a in node.names]
        if groups == {module: old}:
            return
        indent = " " * node.col_offset
        lines = (f"from {m} import {', '.join(names)}" for m, names in groups.items())
        self._edit(node, f"\n{indent}".join(lines))

    def _bind(self, alias: ast.alias, name: str) -> str:
        """How a module is imported under its new name, or under another where that is taken."""
        if alias.asname:
            return name if alias.asname == name else f"{name} as {alias.asname}"
        if name == alias.name:
            return name
        if name in self.bound:
            self.renamed[alias.name] = f"{name}_module"
            return f"{name} as {name}_module"
        self.renamed[alias.name] = name
        return name

    def _import(self, node: ast.Import) -> None:
        if not any(alias.name in self.moved for alias in node.names):
            return
        new = [
            self.moved.get(a.name, a.name) + (f" as {a.asname}" if a.asname else "")
            for a in node.names
        ]
        self._edit(node, "import " + ", ".join(new))


def replaced(text: str, moved: dict[str, str], paths: dict[str, str]) -> str:
    """Dotted names and paths in text that is no import."""
    names = sorted(moved, key=len, reverse=True)
    pattern = r"(?<![\w.])(?:cython\.cimports\.)?(" + "|".join(map(re.escape, names)) + r")(?![\w])"
    text = re.sub(pattern, lambda m: m[0].replace(m[1], moved[m[1]]), text)
    for old, new in sorted(paths.items(), key=lambda item: -len(item[0])):
        text = re.sub(rf"(?<![\w/]){re.escape(old)}(?![\w.])", new, text)
        text = text.replace(f"src/tallylearn/{old}", f"src/tallylearn/{new}")
        stem = re.sub(r"\.py$", "", old)
        if "/" in stem:
            bare = re.sub(r"\.py$", "", new)
            text = re.sub(rf"`{re.escape(stem)}`", f"`{bare}`", text)
            text = re.sub(rf"(?<![\w/]){re.escape(stem)}(?=[ ,;:)])", bare, text)
    for old, new in kernels(paths):
        text = re.sub(rf'"{old}\.(?=[a-z_]+(:|"))', f'"{new}.', text)  # errors of kernels
        text = text.replace(f'interpreted("{old}")', f'interpreted("{new}")')
        text = re.sub(rf'(setattr\([\w.]+, )"{old}"', rf'\1"{new}"', text)
    return text


def kernels(paths: dict[str, str]) -> list[tuple[str, str]]:
    """Names of kernels that change."""
    return [
        (Path(old).stem, Path(new).stem)
        for old, new in paths.items()
        if old.startswith("kernels/") and old.endswith(".py")
    ]


def files(folders: tuple[str, ...], pattern: str) -> Iterator[Path]:
    tracked = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True)
    for name in tracked.stdout.split("\n"):
        path = Path(name)
        if name and path.match(pattern) and (not folders or path.parts[0] in folders):
            yield path


def main() -> None:
    moved = modules(MOVES)
    paths = {
        path.relative_to(SOURCE).as_posix(): destination(path.relative_to(SOURCE).as_posix(), MOVES)
        for path in files(("src",), "*.p*")
        if path.is_relative_to(SOURCE) and path.suffix in (".py", ".pxd")
    }
    paths = {old: new for old, new in paths.items() if old != new}
    print(f"{len(paths)} files move")
    for path in files(PYTHON, "*.py"):
        text = path.read_text("utf-8")
        rewriting = Rewriting(text, moved)
        new = replaced(rewriting.done(), moved, paths)
        taken = [name for name in rewriting.renamed.values() if name.endswith("_module")]
        if taken:
            print(f"{path}: {', '.join(taken)}")
        if new != text and "--check" not in sys.argv:
            path.write_text(new, "utf-8")
    if "--check" in sys.argv:
        return
    for pattern in TEXT:
        for path in files((), pattern):
            if path.name == "CHANGELOG.md":
                continue
            text = path.read_text("utf-8")
            if (new := replaced(text, moved, paths)) != text:
                path.write_text(new, "utf-8")
    for old, new in paths.items():
        (SOURCE / new).parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "mv", str(SOURCE / old), str(SOURCE / new)], check=True)


if __name__ == "__main__":
    main()
