import autocannon, { type Result } from 'autocannon';
import type { LoadJob, LoadResult } from './load-generator';
import { serveJobs } from '../floors/serve-jobs';

// The load generator: a separate process, so that it never shares an event loop with the measured
// program.

serveJobs(run);

async function run({ url, connections, seconds, requests, headers }: LoadJob): Promise<LoadResult> {
  const cpuBefore = process.cpuUsage();
  const startedMs = performance.now();
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    headers: { ...headers },
    requests: requests.map((request) => ({ ...request })),
  });
  const elapsedSeconds = (performance.now() - startedMs) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    ...figuresOf(result),
    cpuShare: (user + system) / 1e6 / elapsedSeconds,
  };
}

function figuresOf(result: Result): Omit<LoadResult, 'cpuShare'> {
  const { p50, p90, p99, p99_9, max } = result.latency;
  return {
    answered: result['2xx'],
    failed: result.non2xx + result.errors + result.timeouts,
    perSecond: result['2xx'] / result.duration,
    latencyMs: { p50, p90, p99, p99_9, max },
  };
}
