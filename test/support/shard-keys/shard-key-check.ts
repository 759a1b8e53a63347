import { filterProblem, observeFilters } from '@billing/chassis/testing/sent-filters';
import { collectionsByService } from '@billing/local/collections';

// Collections that only tests have, in services that they start under the name of a real one.
const ofTests: ReadonlySet<string> = new Set(['announcers', 'batons']);
const observers =
  /shard-key-check|sent-filters|\/chassis\/(?:src|dist)\/(?:mongo\/mongo|mongo\/own-writes|failpoint)/;
const testCode = /\.test\.ts|\/testing\/|\/test\//;

/**
 * Checks every filter that services in this process send from now on. Returns the problems found so
 * far: name the shard key, or list the filter in the service's `collections.ts`.
 */
export function checkShardKeys(): () => readonly string[] {
  const problems = new Set<string>();
  observeFilters((sent) => {
    const layouts = collectionsByService[sent.service];
    if (layouts === undefined || ofTests.has(sent.collection)) return;
    const problem = filterProblem(layouts, sent);
    if (problem !== undefined && !isSentByTest()) problems.add(`${sent.service}.${problem}`);
  });
  return () => [...problems];
}

/** True if the first caller outside the observers is code of tests. */
function isSentByTest(): boolean {
  const frames = (new Error().stack ?? '').split('\n');
  const sender = frames.find(
    (frame) => /\/(?:services|gateway|test)\//.test(frame) && !observers.test(frame),
  );
  return sender === undefined || testCode.test(sender);
}
