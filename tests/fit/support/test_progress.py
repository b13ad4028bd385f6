from calmgam.fit.support.progress import WIDTH, stage


def test_silence_unless_verbose(capsys):
    with stage("curves", verbose=False) as progress:
        assert progress is None
    assert capsys.readouterr() == ("", "")


def test_a_stage_is_one_line_on_standard_error(capsys):
    with stage("curves", verbose=True) as progress:
        progress(10, 40)
        progress(40, 40)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1 and err.endswith("\n")
    begun, quarter, full, done = err.split("\r")
    assert begun.strip() == "curves"
    assert quarter.count("█") == WIDTH // 4 and "10/40" in quarter
    assert full.count("█") == WIDTH and "40/40" in full
    assert "curves     done in 0.0 s" in done
    assert len(done.rstrip("\n")) >= len(full)  # nothing of the bar stays behind


def test_no_work_is_no_division_by_zero(capsys):
    with stage("regions", verbose=True) as progress:
        progress(0, 0)
    assert "0/0" in capsys.readouterr().err
