import pytest

from mdmem_proto.errors import (
    ErrorCode,
    FrameTooLargeError,
    InvalidParamsError,
    LocalProtocolError,
    ProtocolError,
    RemoteProtocolError,
    UnknownMethodError,
)


def test_the_base_is_not_raised_itself() -> None:
    with pytest.raises(TypeError, match="LocalProtocolError or RemoteProtocolError"):
        ProtocolError("x")


@pytest.mark.parametrize("kind", [LocalProtocolError, RemoteProtocolError, FrameTooLargeError])
def test_both_kinds_are_caught_by_the_base(kind: type[ProtocolError]) -> None:
    with pytest.raises(ProtocolError, match="a sentence"):
        raise kind("a sentence")


def test_request_errors_know_their_code() -> None:
    assert UnknownMethodError("x").code is ErrorCode.UNKNOWN_METHOD
    error = InvalidParamsError("x", remedy="y", candidates=("z",))
    assert (error.code, str(error), error.remedy, error.candidates) == ("invalid_request", "x", "y", ("z",))
