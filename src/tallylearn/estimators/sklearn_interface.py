"""What scikit-learn asks of an estimator: tags, metadata routing, methods that may be absent."""

from __future__ import annotations

import copy
import inspect
from typing import Any, TypeVar

Method = TypeVar("Method")


class AvailableIf:
    """A method or property that an estimator has only where an attribute of it is true.

    scikit-learn asks with ``hasattr`` what an estimator can do.
    """

    def __init__(self, attribute: str) -> None:
        self.attribute = attribute

    def __call__(self, method: Method) -> Method:
        self.method: Any = method
        self.__doc__ = method.__doc__
        return self  # type: ignore[return-value]  # what __get__ gives is the method

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, estimator: Any, owner: type) -> Any:
        if not getattr(owner if estimator is None else estimator, self.attribute):
            raise AttributeError(f"{owner.__name__} has no {self.name}.")
        return self.method.__get__(estimator, owner)


def tags_of(estimator: Any) -> Any:
    """The tags by which scikit-learn's checks know what an estimator takes."""
    from sklearn.utils import ClassifierTags, InputTags, RegressorTags, Tags, TargetTags

    task = estimator.task
    tags = Tags(
        estimator_type=task,
        target_tags=TargetTags(required=task is not None),
        classifier_tags=ClassifierTags() if task == "classifier" else None,
        regressor_tags=RegressorTags() if task == "regressor" else None,
        input_tags=InputTags(allow_nan=True, string=True, categorical=True),
    )
    estimator._add_tags(tags)
    return tags


def metadata_routing(estimator: Any) -> Any:
    """What an estimator requests of scikit-learn's metadata routing: weights of rows."""
    from sklearn.utils.metadata_routing import MetadataRequest

    if hasattr(estimator, "_metadata_request"):
        return copy.deepcopy(estimator._metadata_request)
    routing = MetadataRequest(owner=type(estimator).__name__)
    for method in ("fit", "partial_fit", "score"):
        call = getattr(estimator, method, None)
        if call and "sample_weight" in inspect.signature(call).parameters:
            getattr(routing, method).add_request(param="sample_weight", alias=None)
    return routing
