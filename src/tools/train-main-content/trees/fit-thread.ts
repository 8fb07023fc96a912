/** Fits trees in a thread of its own: one result for each job that is posted. */
import { parentPort } from "node:worker_threads";
import { boostTrees } from "./boost-trees.ts";
import type { FitJob } from "./fit-job.ts";

parentPort?.on("message", ({ data, labels, weights, folds, heldOut, parameters, earlyTrees }: FitJob) => {
  const used = weights.map((weight, row) => (heldOut.includes(folds[row]!) ? 0 : weight));
  parentPort?.postMessage(boostTrees({ data, labels, weights: used }, parameters, earlyTrees), []);
});
