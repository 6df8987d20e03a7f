"""Checkers: the rules against a slow board, and a program that learns by playing itself."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner, Result

from tallylearn import errors
from tallylearn.checkers import curves, trajectories
from tallylearn.checkers.boards import BLACK, OTHER, RED, START, Board, Move, perft, placed
from tallylearn.checkers.commands import program
from tallylearn.checkers.features import NAMES, LinearEvaluation, features
from tallylearn.checkers.games import DRAW, QUIET, Game, reward
from tallylearn.checkers.learning import (
    Example,
    Generaliser,
    criticise,
    generate_experiment,
    perform,
    practise,
    study,
)
from tallylearn.checkers.notation import board_of, board_text, drawn, move_of, text_of
from tallylearn.checkers.players import choose_move, chooser, explorer, play_anything, value
from tallylearn.checkers.tournaments import TournamentScore, compete
from tallylearn.checkers.trajectories import Trajectory, record

Cell = tuple[int, int]
MATERIAL = LinearEvaluation((0.0, 1.0, -1.0, 0.5, -0.5, -0.5, 0.1))


def moves(board: Board) -> list[str]:
    return sorted(text_of(move) for move in board.moves())


def random_board(rng: Random) -> Board:
    """Pieces anywhere, men never on their last row."""
    squares = rng.sample(range(1, 33), rng.randint(2, 20))
    sides: dict[str, list[str]] = {BLACK: [], RED: []}
    for square in squares:
        side = rng.choice((BLACK, RED))
        last = square >= 29 if side == BLACK else square <= 4
        king = last or rng.random() < 0.3
        sides[side].append(f"{'K' if king else ''}{square}")
    return placed(" ".join(sides[BLACK]), " ".join(sides[RED]), rng.choice((BLACK, RED)))


class SlowBoard:
    """The rules on eight rows of eight characters: b and r are men, B and R kings."""

    def __init__(self, board: Board) -> None:
        self.cells = [["."] * 8 for _ in range(8)]
        self.turn = board.turn
        text = board_text(board)[2:].split(":")
        for pieces, man in zip(text, "rb", strict=True):
            for piece in filter(None, pieces[1:].split(",")):
                row, column = self.cell(int(piece.removeprefix("K")))
                self.cells[row][column] = man.upper() if piece.startswith("K") else man

    @staticmethod
    def cell(square: int) -> Cell:
        row, place = divmod(square - 1, 4)
        return row, 2 * place + (row % 2 == 0)

    @staticmethod
    def square(cell: Cell) -> int:
        return 4 * cell[0] + cell[1] // 2 + 1

    def at(self, row: int, column: int) -> str:
        return self.cells[row][column] if 0 <= row < 8 and 0 <= column < 8 else "#"

    def moves(self) -> list[str]:
        mine = "bB" if self.turn == BLACK else "rR"
        own = [(r, c) for r in range(8) for c in range(8) if self.cells[r][c] in mine]
        jumps = [path for cell in own for path in self.jumps([cell], self.at(*cell), set())]
        if jumps:
            return sorted("x".join(str(self.square(cell)) for cell in path) for path in jumps)
        steps = [
            f"{self.square((r, c))}-{self.square((r + dr, c + dc))}"
            for r, c in own
            for dr, dc in self.ways(self.cells[r][c])
            if self.at(r + dr, c + dc) == "."
        ]
        return sorted(steps)

    def ways(self, piece: str) -> list[Cell]:
        ahead = 1 if self.turn == BLACK else -1
        return [(dr, dc) for dr in (ahead, -ahead)[: 1 + piece.isupper()] for dc in (-1, 1)]

    def jumps(self, path: list[Cell], piece: str, taken: set[Cell]) -> list[list[Cell]]:
        (r, c), theirs, found = path[-1], "rR" if self.turn == BLACK else "bB", []
        for dr, dc in self.ways(piece):
            over, land = (r + dr, c + dc), (r + 2 * dr, c + 2 * dc)
            empty = self.at(*land) == "." or land == path[0]
            if self.at(*over) in theirs and over not in taken and empty:
                found += self.jumps([*path, land], piece, taken | {over})
        return found or ([path] if taken else [])


@pytest.mark.parametrize(
    ("depth", "games"), [(1, 7), (2, 49), (3, 302), (4, 1469), (5, 7361), (6, 36768)]
)
def test_the_games_from_the_start_are_as_many_as_is_known(depth: int, games: int) -> None:
    assert perft(START, depth) == games


def test_moves_are_those_of_the_slow_board() -> None:
    rng = Random(0)
    jumped = 0
    for _ in range(3000):
        board = random_board(rng)
        assert moves(board) == SlowBoard(board).moves(), board_text(board)
        jumped += any(len(move.path) > 2 for move in board.moves())
    assert jumped > 100  # many of them jump more than once


def test_boards_after_a_move_are_those_of_the_slow_board() -> None:
    rng = Random(1)
    for _ in range(500):
        board = random_board(rng)
        for move in board.moves():
            slow, text = SlowBoard(board), text_of(move)
            path = [slow.cell(int(square)) for square in text.replace("x", "-").split("-")]
            piece, slow.cells[path[0][0]][path[0][1]] = slow.at(*path[0]), "."
            for (r, c), (s, d) in pairwise(path if move.taken else ()):
                slow.cells[(r + s) // 2][(c + d) // 2] = "."
            (row, column), last = path[-1], 7 if board.turn == BLACK else 0
            slow.cells[row][column] = piece.upper() if row == last else piece
            after = board.after(move)
            assert SlowBoard(after).cells == slow.cells, (board_text(board), text)
            assert after.turn == OTHER[board.turn]


def test_who_can_jump_must_jump() -> None:
    board = placed("11 1", "15 32")
    assert moves(board) == ["11x18"]
    with pytest.raises(errors.InputError, match=r"'1-5' is not.*must be taken.*can play 11x18"):
        move_of(board, "1-5")


def test_a_jump_goes_on_to_its_end_and_forks() -> None:
    assert moves(placed("1", "6 15 24")) == ["1x10x19x28"]
    assert moves(placed("2", "6 7 14 15")) == ["2x11x18", "2x9x18"]  # either way, two pieces
    assert placed("1", "6 15 24").after(move_of(placed("1", "6 15 24"), "1x28")).red == 0


def test_two_ways_to_the_same_square_must_be_told_apart() -> None:
    board = placed("2", "6 7 14 15")
    with pytest.raises(errors.InputError, match=r"more than one way.*2x9x18, 2x11x18"):
        move_of(board, "2x18")
    assert text_of(move_of(board, " 2X11x18 ")) == "2x11x18"


def test_a_man_does_not_jump_backwards_and_a_king_does() -> None:
    assert moves(placed("18", "14 32")) == ["18-22", "18-23"]
    assert moves(placed("K18", "14 32")) == ["18x9"]


def test_a_king_may_jump_in_a_circle_back_to_where_it_stood() -> None:
    board = placed("K1", "6 7 14 15")
    assert moves(board) == ["1x10x17", "1x10x19", "1x10x3"]
    circle = placed("K2", "6 7 14 15")
    assert moves(circle) == ["2x11x18x9x2", "2x9x18x11x2"]
    after = circle.after(circle.moves()[0])
    assert (after.red, after.black, after.kings) == (0, circle.black, circle.black)


def test_a_man_is_crowned_at_the_end_and_stops_there() -> None:
    board = placed("22", "25 26")  # lands on 29 or 31; a king on 31 could jump on over 26 or 27
    assert moves(board) == ["22x29", "22x31"]
    board = placed("21", "25 26")
    assert moves(board) == ["21x30"]  # as a king it would jump on over 26
    after = board.after(board.moves()[0])
    assert board_text(after) == "R:R26:BK30"


def test_a_side_without_a_move_has_lost() -> None:
    assert Game(placed("1", "", RED)).result() == BLACK
    blocked = placed("5", "9 14", BLACK)  # 5 can neither step to 9 nor jump to 14
    assert blocked.moves() == []
    assert Game(blocked).result() == RED
    assert (reward(RED, RED), reward(RED, BLACK), reward(DRAW, RED), reward(None, RED)) == (
        1, -1, 0, 0,
    )  # fmt: skip


def shuffled(game: Game, plies: int) -> Game:
    """Kings that go to and fro."""
    for ply in range(plies):
        back = (ply // 2) % 2
        text = (("1-6", "32-27"), ("6-1", "27-32"))[back][ply % 2]
        game = game.after(move_of(game.board, text))
    return game


def test_a_board_that_comes_for_the_third_time_is_a_draw() -> None:
    game = Game(placed("K1", "K32"))
    assert shuffled(game, 7).result() is None
    assert shuffled(game, 8).result() == DRAW


def test_forty_moves_of_each_side_without_progress_are_a_draw() -> None:
    quiet = Game(placed("K1 K2", "K31 K32"), (START,) * (QUIET - 1))
    assert quiet.result() is None
    assert quiet.after(move_of(quiet.board, "1-6")).result() == DRAW
    man = Game(placed("K1 9", "K32"), (START,) * (QUIET - 1))
    assert man.after(move_of(man.board, "9-13")).result() is None


def test_moves_and_boards_are_read_as_they_are_written() -> None:
    rng = Random(2)
    for _ in range(200):
        board = random_board(rng)
        assert board_of(board_text(board)) == board
        for move in board.moves():
            assert move_of(board, text_of(move)) == move
    assert board_text(placed("1 K2", "32", RED)) == "R:R32:B1,K2"
    assert drawn(START).splitlines()[0].split() == ["b"] * 4


@pytest.mark.parametrize(
    "text", ["11-20", "", "hello", "9", "9-", "-9-13", "9-13-17", "99-1", "9x13x", "９-13…"]
)
def test_what_is_no_legal_move_is_named_with_the_legal_ones(text: str) -> None:
    with pytest.raises(errors.InputError, match=r"not a legal move.*Black can play .*9-13.*11-15"):
        move_of(START, text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not a board"),
        ("G:R1:B2", "is not a board"),
        ("B:R1,:B2", "is not a board"),
        ("B:R33:B2", "square 33"),
        ("B:R1:BK1", "square 1 .* twice"),
    ],
)
def test_what_is_no_board_is_refused(text: str, said: str) -> None:
    with pytest.raises(errors.InputError, match=said):
        board_of(text)


def test_features_are_counted_from_both_sides() -> None:
    board = placed("11 K1", "15 16 K32")  # 11 could take 15 and 16; 15 could take 11 if 8 is free
    assert dict(zip(NAMES, features(board, BLACK), strict=True)) == {
        "black pieces": 2,
        "red pieces": 3,
        "black kings": 1,
        "red kings": 1,
        "black threatened": 1,
        "red threatened": 2,
    }
    x = features(board, BLACK)
    assert features(board, RED) == (x[1], x[0], x[3], x[2], x[5], x[4])


def test_threatened_pieces_are_those_that_a_jump_could_take_first() -> None:
    rng = Random(5)
    for _ in range(500):
        board = random_board(rng)._replace(turn=BLACK)
        first = {SlowBoard.square(_over(move)) for move in board.moves() if move.taken}
        assert features(board, BLACK)[5] == len(first)


def _over(move: Move) -> Cell:
    (r, c), (s, d) = (SlowBoard.cell(int(part)) for part in text_of(move).split("x")[:2])
    return (r + s) // 2, (c + d) // 2


def test_the_value_is_the_weighted_sum_and_the_best_move_is_chosen() -> None:
    board = placed("11", "15 16 32")
    x = features(board, BLACK)
    expected = sum(w * f for w, f in zip(MATERIAL.weights, (1, *x), strict=True))
    assert MATERIAL(board, BLACK) == pytest.approx(expected, rel=1e-15)
    rng = Random(6)
    for _ in range(100):
        game = Game(random_board(rng))
        if game.result() is None:
            side = game.board.turn
            values = {
                move: value(after, side, MATERIAL)
                for move in game.board.moves()
                for after in [game.after(move)]
            }
            assert values[choose_move(game, MATERIAL, rng)] == max(values.values())


def test_a_win_is_chosen_whatever_the_weights_say() -> None:
    fond = LinearEvaluation((0.0, 0.0, 9.0, 0.0, 0.0, 0.0, 0.0))  # of Red's pieces
    corner = Game(placed("K6 K32", "5"))  # 6-1 leaves Red's man without a move
    assert text_of(choose_move(corner, fond, Random(0))) == "6-1"


def test_the_critic_takes_values_from_the_next_board_of_the_same_side() -> None:
    game = record(Game(), play_anything, play_anything, Random(11))
    examples = criticise(game, MATERIAL)
    assert len(examples) == len(game.actions)
    black = [board for board in game.states[1:] if board.turn == RED]  # after Black's moves
    assert [example.x for example in examples[: len(black)]] == [features(b, BLACK) for b in black]
    for example, after in zip(examples, black[1:], strict=False):
        assert example.v_train == MATERIAL(after, BLACK)
    assert examples[len(black) - 1].v_train == reward(game.result, BLACK)
    assert examples[-1].v_train == reward(game.result, RED)


def test_a_game_of_one_move_has_one_example() -> None:
    board = placed("K18", "23")
    game = record(Game(board), play_anything, play_anything, Random(0))
    assert criticise(game, MATERIAL) == [Example(features(game.states[1], BLACK), 1.0)]


def test_the_generaliser_steps_by_the_rule() -> None:
    generaliser = Generaliser.untrained(rate=0.001)
    w = [*generaliser.evaluation.weights]
    examples = [Example((12, 11, 1, 0, 2, 1), 0.5), Example((3, 4, 0, 2, 0, 1), -1.0)]
    for x, v_train in examples:
        error = v_train - sum(a * b for a, b in zip(w, (1, *x), strict=True))
        w = [a + 0.001 * f * error for a, f in zip(w, (1, *x), strict=True)]
    generaliser.learn(examples)
    assert generaliser.evaluation.weights == pytest.approx(w, rel=1e-12)
    assert Generaliser.untrained().evaluation.weights == (0.0,) * 7


def test_experiments_differ_and_follow_the_seed() -> None:
    boards = [generate_experiment(Random(seed)).board for seed in range(20)]
    assert len({*boards}) > 10
    assert boards == [generate_experiment(Random(seed)).board for seed in range(20)]
    game = perform(Game(), MATERIAL, Random(1))
    assert game == perform(Game(), MATERIAL, Random(1)) != perform(Game(), MATERIAL, Random(2))


@pytest.fixture(scope="module")
def practised() -> tuple[Generaliser, list[Trajectory]]:
    generaliser = Generaliser.untrained()
    return generaliser, list(practise(range(30), generaliser, seed=0))


def test_it_learns_to_beat_the_random_player(
    practised: tuple[Generaliser, list[Trajectory]],
) -> None:
    trained = compete(chooser(practised[0].evaluation), play_anything, 120, seed=9)
    untrained = compete(chooser(Generaliser.untrained().evaluation), play_anything, 60, seed=9)
    assert trained.interval.low > 0.9
    assert untrained.interval.high < trained.interval.low
    assert trained == compete(chooser(practised[0].evaluation), play_anything, 120, seed=9)


def test_untrained_weights_choose_as_the_random_player_does() -> None:
    player = chooser(Generaliser.untrained().evaluation)
    for seed in range(20):
        game = generate_experiment(Random(seed))
        assert player(game, Random(seed)) == play_anything(game, Random(seed))


def test_learning_is_shown_over_seeds_with_its_interval() -> None:
    shares = curves.repeat(3, (0, 5), matches=20)
    assert all(after > 0.85 for _, after in shares)
    assert shares == curves.repeat(3, (0, 5), matches=20)
    lines = curves.spread((0, 5), [[0.4, 0.9], [0.6, 1.0]]).splitlines()
    assert lines[1].split() == ["0", "50.0%", "0.0%", "to", "100.0%", "40.0%", "60.0%"]
    assert lines[-1] == (
        "Gained from 0 to 5 games: +45.0% of the points (95 % interval -18.5% to +108.5%), "
        "in 2 of 2 seeds."
    )


def test_saved_games_teach_the_same_weights(
    practised: tuple[Generaliser, list[Trajectory]], tmp_path: Path
) -> None:
    path = tmp_path / "games.jsonl"
    trajectories.save(path, practised[1][:10])
    trajectories.save(path, practised[1][10:])
    assert list(trajectories.load(path)) == practised[1]
    again = Generaliser.untrained()
    assert study(trajectories.load(path), again) == 30
    assert again.evaluation == practised[0].evaluation


def test_a_trajectory_is_written_as_the_notes_have_it(tmp_path: Path) -> None:
    game = record(Game(placed("K18", "23")), play_anything, play_anything, Random(0))
    trajectories.save(tmp_path / "one.jsonl", [game])
    [line] = (tmp_path / "one.jsonl").read_text().splitlines()
    assert json.loads(line) == ["B:R23:BK18", "18x27", 1, "R:R:BK27"]
    assert game.rewards == (1,)


S0, S1 = "B:R23:BK18", "R:R:BK27"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "not a trajectory"),
        ("{}", "not a trajectory"),
        (json.dumps([S0]), "not a trajectory"),
        (json.dumps([S0, "18x27", 1]), "not a trajectory"),
        (json.dumps([S0, "18x27", 1, S1])[:-5], "not a trajectory"),
        (json.dumps(["B", "18x27", 1, S1]), "'B' is not a board"),
        (json.dumps([7, "18x27", 1, S1]), "'7' is not a board"),
        (json.dumps([S0, "18-22", 1, S1]), "move 1: '18-22' is not a legal move: a jump must"),
        (
            json.dumps([S0, "18x27", 0, S1]),
            "the reward after move 1 is 0, but by the rules it is 1",
        ),
        (json.dumps([S0, "18x27", True, S1]), "the reward after move 1 is True"),
        (json.dumps([S0, "18x27", 1, S0]), "the state after move 1"),
        (json.dumps([S0, "18x27", 1, S1, "1-5", 0, S1]), "has ended before move 2"),
        (json.dumps(["B:R23:BK1", "1-6", 0, "R:R23:BK6"]), "the game has not ended"),
        ("[" * 100_000, "not a trajectory"),
    ],
)
def test_a_broken_trajectory_is_named_with_its_line(line: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps([S0, "18x27", 1, S1]) + "\n" + line + "\n")
    with pytest.raises(errors.FileError, match=rf"games.jsonl, line 2: .*{said}"):
        list(trajectories.load(path))


def test_files_that_cannot_be_read_or_written_are_named(tmp_path: Path) -> None:
    with pytest.raises(errors.FileError, match="cannot be read: No such file"):
        list(trajectories.load(tmp_path / "nowhere"))
    with pytest.raises(errors.FileError, match="cannot be written"):
        trajectories.save(tmp_path / "no" / "folder", [])
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(errors.FileError, match="not text"):
        list(trajectories.load(tmp_path / "bytes"))


def test_a_score_counts_draws_as_halves() -> None:
    score = TournamentScore(6, 2, 2)
    assert (score.games, score.share) == (10, 0.7)
    low, high = score.interval
    assert low < 0.7 < high
    assert TournamentScore(500, 0, 0).interval.high == 1
    assert TournamentScore(500, 0, 0).interval.low < 1
    assert "6 won, 2 drawn, 2 lost" in str(score)


def test_the_interval_covers_the_true_share_at_least_as_often_as_it_says() -> None:
    rng, inside = Random(8), 0
    for _ in range(1000):
        results = rng.choices((1, 0.5, 0), (0.5, 0.3, 0.2), k=50)
        score = TournamentScore(results.count(1), results.count(0.5), results.count(0))
        low, high = score.interval
        inside += low <= 0.65 <= high
    assert inside >= 950


def test_the_players_change_sides_after_every_game() -> None:
    seen: list[str] = []

    def watch(game: Game, rng: Random) -> Move:
        seen.append(game.board.turn)
        return play_anything(game, rng)

    compete(watch, play_anything, 1, seed=0)
    assert {*seen} == {BLACK}
    compete(watch, play_anything, 2, seed=0)
    assert {*seen} == {BLACK, RED}
    assert explorer(watch, 1.0)(Game(), Random(0)) in START.moves()
    assert compete(chooser(MATERIAL), chooser(MATERIAL), 20, seed=0).share == pytest.approx(
        0.5, abs=0.2
    )


def test_the_curve_stops_where_it_is_told_and_draws_itself() -> None:
    kept: list[Trajectory] = []
    points = list(
        curves.follow(Generaliser.untrained(), (0, 2, 5), matches=4, seed=1, keep=kept.append)
    )
    assert [point.games for point in points] == [0, 2, 5]
    assert len(kept) == 5
    assert curves.table(points).count("\n") == 3
    assert curves.svg(points).startswith("<svg")
    assert curves.svg(points[:1]).endswith("</svg>\n")


def run(*arguments: object, said: str = "") -> Result:
    return CliRunner().invoke(program, [str(argument) for argument in arguments], input=said)


def test_the_program_learns_saves_and_learns_again(tmp_path: Path) -> None:
    files = {name: tmp_path / name for name in ("games.jsonl", "m.tally", "c.svg", "n.tally")}
    first = run("learn", "--games", 4, "--every", 2, "--record", files["games.jsonl"],
                "--save", files["m.tally"], "--curve", files["c.svg"])  # fmt: skip
    assert first.exit_code == 0, first.output
    again = run("learn", "--games", 0, "--study", files["games.jsonl"], "--save", files["n.tally"])
    assert "Learned from 4 saved games." in again.output
    weights = [Generaliser.loaded(files[name]).evaluation for name in ("m.tally", "n.tally")]
    assert weights[0] == weights[1]
    more = run("learn", "--games", 1, "--model", files["m.tally"])
    assert more.exit_code == 0, more.output
    met = run("tournament", "--games", 4, "--model", files["m.tally"], "--against", "untrained")
    assert "4 games against untrained" in met.output
    met = run("tournament", "--games", 2, "--model", files["m.tally"],
              "--against", files["n.tally"])  # fmt: skip
    assert met.exit_code == 0, met.output
    assert files["c.svg"].read_text().startswith("<svg")


def test_the_program_counts_games() -> None:
    assert "7,361" in run("perft", "--depth", 5).output


def test_a_person_can_play_and_ask(tmp_path: Path) -> None:
    saved = tmp_path / "m.tally"
    assert run("learn", "--games", 2, "--save", saved).exit_code == 0
    result = run(
        "play", "--model", saved, said="11-20\nmoves\nwhy\nhelp\n11-15\nwhy\nboard\nquit\n"
    )
    assert "'11-20' is not a legal move. Black can play" in result.output
    assert "The program has not moved yet." in result.output
    assert "Red plays" in result.output
    assert "it sees {'black pieces': 12" in result.output
    assert "black pieces = 12" in result.output
    assert "total" in result.output
    assert result.exit_code == 1  # left before the end
    ended = run("play", "--side", "red", "--model", saved, said="22-18\nquit\n")
    assert "Black plays" in ended.output


def test_a_game_is_played_to_its_end_and_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The program meets a person who types what the random player would play."""
    rng = Random(3)

    def typed(*_: object, **__: object) -> str:
        return rng.choice(legal[-1])

    legal: list[list[str]] = []
    from tallylearn.checkers import terminals

    def shown(board: Board) -> str:
        legal.append(moves(board))
        return ""

    monkeypatch.setattr(terminals.click, "prompt", typed)
    monkeypatch.setattr(terminals, "drawn", shown)
    saved = tmp_path / "m.tally"
    assert run("learn", "--games", 20, "--save", saved).exit_code == 0
    result = run("play", "--model", saved, "--record", tmp_path / "games.jsonl")
    assert result.exit_code == 0, result.output
    assert "You have lost." in result.output
    assert len(list(trajectories.load(tmp_path / "games.jsonl"))) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["learn", "--games", "-1"], "--games"),
        (["learn", "--games", "many"], "--games"),
        (["learn", "--every", "0"], "--every"),
        (["learn", "--games", "1", "--rate", "-1"], "'learning_rate'"),
        (["learn", "--games", "2", "--rate", "2"], "diverged"),
        (["learn", "--study", "nowhere.jsonl"], "nowhere.jsonl cannot be read"),
        (["learn", "--record", "no/where.jsonl"], "no/where.jsonl cannot be written"),
        (
            ["learn", "--save", "no/where.tally"],
            "no/where.tally cannot be written: there is no folder",
        ),
        (
            ["learn", "--curve", "no/where.svg"],
            "no/where.svg cannot be written: there is no folder",
        ),
        (["learn", "--model", "nowhere.tally"], "there is no file 'nowhere.tally'"),
        (["tournament", "--games", "0"], "--games"),
        (["tournament", "--against", "nobody"], "there is no file 'nobody'"),
        (["play", "--side", "green"], "green"),
        (["perft", "--depth", "0"], "--depth"),
        (["sing"], "sing"),
    ],
)
def test_bad_options_are_named_without_a_traceback(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert result.exit_code in (1, 2)
    assert said in result.output
    assert isinstance(result.exception, SystemExit)


def test_a_model_of_something_else_is_refused(tmp_path: Path) -> None:
    import tallylearn as tl

    tl.LMS().fit([[1.0], [2.0]], [1.0, 2.0]).save(tmp_path / "m.tally")
    result = run("play", "--model", tmp_path / "m.tally")
    assert "not of checkers" in result.output
