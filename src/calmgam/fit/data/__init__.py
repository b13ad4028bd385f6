"""The training table as every stage sees it: checked, binned, with its target, bags and folds."""
