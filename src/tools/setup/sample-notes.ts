import { withoutPrototype } from "../../core/without-prototype.ts";

/** Short pages beside the sample page, so that a first crawl has something to follow. By path below the sample page's own. */
export const SAMPLE_NOTES: Readonly<Record<string, { title: string; text: readonly string[] }>> = withoutPrototype({
  silk: {
    title: "Kinds of silk",
    text: [
      "A garden spider has several glands, and each makes a thread for one purpose: a strong one to hang from, a stretchy one to catch with, a soft one to wrap in.",
      "The thread that it hangs from is, weight for weight, stronger than most steel.",
    ],
  },
  glue: {
    title: "Glue that stays wet",
    text: [
      "The catching thread is covered with drops of glue. They take up water from the air, so that they do not dry out overnight.",
      "On a dry morning the drops are smaller, and more flies get away.",
    ],
  },
  hub: {
    title: "Waiting at the hub",
    text: [
      "A spider that waits in the middle holds a leg on each of several spokes. What shakes them tells it where to run, and whether to run at all.",
    ],
  },
  repair: {
    title: "Mending and rebuilding",
    text: [
      "Small holes are bridged with a few threads. After a stormy night it costs less to eat the web and begin anew.",
      "Eaten silk is spun again within the hour.",
    ],
  },
  wind: {
    title: "Webs in the wind",
    text: [
      "Where it blows, webs are smaller and have fewer turns, and the spider sits behind a leaf with one signal thread.",
    ],
  },
  winter: {
    title: "Over the winter",
    text: [
      "Few garden spiders live through the winter. Their eggs do, several hundred in one cocoon of yellow silk.",
      "In May the young hang together in a cluster, and scatter when something touches the thread.",
    ],
  },
});
