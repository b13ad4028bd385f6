from calmgam.read.view_types import JumpView, joint_jumps


def jump(*terms, threshold=1.0, low=-1.0, high=2.0, arrow="↕"):
    return JumpView(terms, threshold, (), f"{threshold:g}", low, high, arrow, True)


def test_one_jump_per_place_the_joint_one():
    both, other = jump("a", "b", low=-3.0), jump("c", threshold=2.0)
    nothing = jump("d", threshold=3.0, low=0.0, high=0.0, arrow="=")
    assert joint_jumps([jump("a"), jump("b"), both, other, nothing]) == [both, other]


def test_a_jump_in_words():
    assert str(jump("a", "b")) == "at 1: ↕ [-1, 2] from a, b"
    assert str(jump("a", low=4.0, high=4.0, arrow="↑")) == "at 1: ↑ 4 from a"
