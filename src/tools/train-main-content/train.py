"""Trains one pass of boosted trees on the files that run.ts wrote, and predicts each fold with trees that never saw it.

Usage: train.py first|second DIRECTORY

DIRECTORY/rows.json   columns, number of rows, parameters of the passes and of the cascade
DIRECTORY/x.f32       block features, row by row; content.f32, weight.f32 and fold.u8: label, weight and fold of each row
DIRECTORY/context.f32 (second pass) context features: one matrix per view, where view k is what the page looks like when
                      fold k is the held-out one

The first pass writes first-views.f32: for each view k the probabilities of fold k from trees trained without fold k, and of
each other fold j from trees trained without j and k, so that the second pass of view k never sees a label of fold k. The
second pass writes second.f32. Both write NAME.json: the trees trained on everything.

The classifier spends neither all trees nor the second pass on blocks that are clear early (rows.json, "cascade"); what is
predicted here is cut down in the same way. The second pass learns from the rows inside "learnedDoubt".
"""
import itertools
import json
import sys
from pathlib import Path

import numpy as np
import xgboost

NO_FOLD = 255


class Trainer:
    def __init__(self, directory, name, rows):
        self.directory = directory
        self.rows = rows
        self.settings = rows[name]
        self.labels = np.fromfile(directory / "content.f32", dtype=np.float32)
        self.weights = np.fromfile(directory / "weight.f32", dtype=np.float32)
        self.folds = np.fromfile(directory / "fold.u8", dtype=np.uint8)
        self.blocks = np.fromfile(directory / "x.f32", dtype=np.float32).reshape(rows["count"], -1)

    def fit(self, matrix, columns, held_out, wanted=True):
        used = ~np.isin(self.folds, held_out) & (self.weights > 0) & wanted
        data = xgboost.DMatrix(matrix[used], self.labels[used], weight=self.weights[used], feature_names=columns)
        return xgboost.train(self.parameters(), data, self.settings["trees"])

    def parameters(self):
        own = {key: value for key, value in self.settings.items() if key != "trees"}
        return {"objective": "binary:logistic", "tree_method": "hist", "grow_policy": "lossguide", "max_depth": 0, "seed": 1, **own}

    def predict(self, trees, matrix, columns, fold):
        inside = self.folds == fold
        return inside, trees.predict(xgboost.DMatrix(matrix[inside], feature_names=columns))

    def predict_early(self, trees, matrix, columns, fold):
        """As `predict`, but rows that are clear after some trees are spared the others."""
        early_exit = self.rows["cascade"]["earlyExit"]
        inside = self.folds == fold
        data = xgboost.DMatrix(matrix[inside], feature_names=columns)
        early = trees.predict(data, output_margin=True, iteration_range=(0, early_exit["trees"]))
        margins = np.where(np.abs(early) >= early_exit["logOdds"], early, trees.predict(data, output_margin=True))
        return inside, 1 / (1 + np.exp(-margins))

    def in_doubt(self, probabilities):
        return between(probabilities, self.rows["cascade"]["doubt"])

    def to_learn_from(self, probabilities):
        return between(probabilities, self.rows["learnedDoubt"])


def between(probabilities, limits):
    return (probabilities >= limits["from"]) & (probabilities <= limits["to"])


def train_first(directory, rows):
    trainer = Trainer(directory, "first", rows)
    columns = rows["blockColumns"]
    fold_numbers = range(rows["folds"])
    views = np.zeros((rows["folds"], rows["count"]), np.float32)
    for fold in fold_numbers:
        inside, probabilities = trainer.predict_early(trainer.fit(trainer.blocks, columns, [fold]), trainer.blocks, columns, fold)
        views[fold, inside] = probabilities
    for pair in itertools.combinations(fold_numbers, 2):
        trees = trainer.fit(trainer.blocks, columns, list(pair))
        for view, fold in (pair, pair[::-1]):
            inside, probabilities = trainer.predict_early(trees, trainer.blocks, columns, fold)
            views[view, inside] = probabilities
    views.tofile(directory / "first-views.f32")
    write_trees(trainer.fit(trainer.blocks, columns, [NO_FOLD]), directory / "first.json")


def train_second(directory, rows):
    trainer = Trainer(directory, "second", rows)
    columns = rows["contextColumns"] + rows["blockColumns"]
    context = np.fromfile(directory / "context.f32", dtype=np.float32).reshape(rows["folds"], rows["count"], -1)
    views = np.fromfile(directory / "first-views.f32", dtype=np.float32).reshape(rows["folds"], rows["count"])
    result = np.zeros(rows["count"], np.float32)
    for fold in range(rows["folds"]):
        matrix = np.hstack([context[fold], trainer.blocks])
        doubtful = trainer.in_doubt(views[fold])
        trees = trainer.fit(matrix, columns, [fold], trainer.to_learn_from(views[fold]))
        inside, probabilities = trainer.predict(trees, matrix, columns, fold)
        result[inside] = np.where(doubtful[inside], probabilities, views[fold, inside])
    result.tofile(directory / "second.f32")
    # For the trees that are shipped, every page is seen as it looks when its own fold is the held-out one.
    own = (trainer.folds, np.arange(rows["count"]))
    matrix = np.hstack([context[own], trainer.blocks])
    write_trees(trainer.fit(matrix, columns, [NO_FOLD], trainer.to_learn_from(views[own])), directory / "second.json")


def write_trees(trees, path):
    path.write_text(json.dumps([preorder(json.loads(tree)) for tree in trees.get_dump(dump_format="json")]))


def preorder(node):
    """[feature, threshold, steps to the right child] for splits and [value] for leaves; the left child comes next."""
    if "leaf" in node:
        return [[node["leaf"]]]
    children = {child["nodeid"]: child for child in node["children"]}
    left = preorder(children[node["yes"]])
    return [[node["split"], node["split_condition"], len(left) + 1], *left, *preorder(children[node["no"]])]


def main():
    name, directory = sys.argv[1], Path(sys.argv[2])
    rows = json.loads((directory / "rows.json").read_text())
    {"first": train_first, "second": train_second}[name](directory, rows)


main()
