import { Agent, request as sendRequest } from 'node:http';
import { EventBatches } from './event-batches';
import { LatencyHistogram } from '../figures/latency-histogram';
import type { TimedJob, TimedResult } from './timed-generator';
import { serveJobs } from '../floors/serve-jobs';

// Load with a known schedule for each request: a separate process, so that it never shares an event
// loop with the measured program.

const socketsMax = 256;

serveJobs(run);

interface Tally {
  readonly latency: LatencyHistogram;
  answered: number;
  failed: number;
  accepted: number;
  rejected: number;
}

async function run(job: TimedJob): Promise<TimedResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: socketsMax });
  const tally = {
    latency: new LatencyHistogram(),
    answered: 0,
    failed: 0,
    accepted: 0,
    rejected: 0,
  };
  const send = senderOf(job, agent);
  const cpuBefore = process.cpuUsage();
  const startedMs = performance.now();
  const sendTimed = async (intendedMs: number) => {
    const outcome = await send();
    tally.latency.record(performance.now() - intendedMs);
    count(outcome, job, tally);
  };
  if (job.pace.kind === 'closed')
    await runClosed(job.pace.inFlight, endOf(job, startedMs), sendTimed);
  else await runOpen(job.pace.perSecond, { startedMs, endMs: endOf(job, startedMs) }, sendTimed);
  const seconds = (performance.now() - startedMs) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  agent.destroy();
  const { latency, ...counts } = tally;
  const events = job.work.kind === 'ingest' ? counts.answered * job.work.shape.size : 0;
  const latencyMs = latency.latency();
  return { ...counts, events, seconds, latencyMs, cpuShare: (user + system) / 1e6 / seconds };
}

function endOf({ seconds }: TimedJob, startedMs: number): number {
  return startedMs + seconds * 1_000;
}

/** Each lane sends its next request after its response: measures throughput, but not latency. */
async function runClosed(
  inFlight: number,
  endMs: number,
  sendTimed: (intendedMs: number) => Promise<void>,
): Promise<void> {
  const lane = async () => {
    for (let now = performance.now(); now < endMs; now = performance.now()) await sendTimed(now);
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
}

/** Sends on schedule regardless of responses, and measures latency from the scheduled time. */
async function runOpen(
  perSecond: number,
  { startedMs, endMs }: { startedMs: number; endMs: number },
  sendTimed: (intendedMs: number) => Promise<void>,
): Promise<void> {
  const everyMs = 1_000 / perSecond;
  const running = new Set<Promise<void>>();
  let nextMs = startedMs;
  while (nextMs < endMs) {
    for (; nextMs <= performance.now() && nextMs < endMs; nextMs += everyMs) {
      const sent = sendTimed(nextMs).finally(() => running.delete(sent));
      running.add(sent);
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(running);
}

interface Outcome {
  readonly status: number;
  readonly text: string;
}

function senderOf(job: TimedJob, agent: Agent): () => Promise<Outcome> {
  const { work, headers } = job;
  const url = new URL(job.url);
  if (work.kind === 'get') {
    let sent = 0;
    return () => {
      const path = work.paths[sent % work.paths.length] ?? '';
      sent += 1;
      return exchange({ url, agent, headers, method: 'GET', path, body: undefined });
    };
  }
  if (work.kind === 'post') {
    const { path } = work;
    const body = Buffer.from(JSON.stringify(work.body));
    return () => exchange({ url, agent, headers, method: 'POST', path, body });
  }
  const batches = new EventBatches(work.shape, now());
  let number = 0;
  return () => {
    number += 1;
    const body = batches.batch(number, now());
    return exchange({ url, agent, headers, method: 'POST', path: '/v1/events/ingest', body });
  };
}

function now(): Date {
  return new Date(performance.timeOrigin + performance.now());
}

function exchange({
  url,
  agent,
  headers,
  method,
  path,
  body,
}: {
  url: URL;
  agent: Agent;
  headers: Readonly<Record<string, string>>;
  method: string;
  path: string;
  body: Buffer | undefined;
}): Promise<Outcome> {
  return new Promise((resolve) => {
    const { hostname, port } = url;
    const sized = body && { 'Content-Type': 'application/json', 'Content-Length': body.length };
    const options = { hostname, port, agent, method, path, headers: { ...headers, ...sized } };
    const sent = sendRequest(options, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.once('end', () => {
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() });
      });
    });
    sent.once('error', (error) => {
      resolve({ status: 0, text: String(error) });
    });
    sent.end(body);
  });
}

function count({ status, text }: Outcome, { work }: TimedJob, tally: Tally): void {
  if (status < 200 || status > 299) {
    tally.failed += 1;
    return;
  }
  tally.answered += 1;
  if (work.kind !== 'ingest') return;
  const { accepted, rejected } = JSON.parse(text) as { accepted: number; rejected: unknown[] };
  tally.accepted += accepted;
  tally.rejected += rejected.length;
}
