"""The errors of calls on schedules."""

from ..errors import (
    AmbiguousLookupError,
    ConsumedHandleError,
    InvalidScheduleArgumentError,
    ScheduleError,
    ScheduleLookupError,
    ScheduleStateError,
    ScheduleTransformError,
    ScheduleTypeError,
)

__all__ = [
    "AmbiguousLookupError",
    "ConsumedHandleError",
    "InvalidScheduleArgumentError",
    "ScheduleError",
    "ScheduleLookupError",
    "ScheduleStateError",
    "ScheduleTransformError",
    "ScheduleTypeError",
]
