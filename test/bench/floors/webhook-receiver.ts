import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

// Answers webhooks immediately, except on one path where every request hangs; counts each message
// once.

/**
 * `hold`: the path whose requests hang from now on; empty: none. `expect`: answer once this many
 * messages have arrived at the paths.
 */
export type ReceiverJob =
  { readonly hold: string } | { readonly expect: { readonly prefix: string; count: number } };

const holdMs = 10_000;

const known = new Set<string>();
const counts = new Map<string, number>();
const held = new Map<ServerResponse, NodeJS.Timeout>();
let heldPath = '';
let expected: { prefix: string; count: number } | undefined;

function answer(response: ServerResponse): void {
  clearTimeout(held.get(response));
  held.delete(response);
  response.writeHead(204).end();
}

function note(path: string, id: string): void {
  if (known.has(`${path} ${id}`)) return;
  known.add(`${path} ${id}`);
  counts.set(path, (counts.get(path) ?? 0) + 1);
  reportIfComplete();
}

function reportIfComplete(): void {
  if (expected === undefined) return;
  let count = 0;
  for (const [path, some] of counts) if (path.startsWith(expected.prefix)) count += some;
  if (count < expected.count) return;
  expected = undefined;
  known.clear();
  counts.clear();
  process.send?.({ count });
}

const server = createServer((request, response) => {
  const { url = '', headers } = request;
  request.resume().once('end', () => {
    if (url === heldPath) {
      held.set(
        response,
        setTimeout(() => {
          answer(response);
        }, holdMs),
      );
      return;
    }
    answer(response);
    note(url, String(headers['webhook-id']));
  });
});

process.on('message', (job: ReceiverJob) => {
  if ('expect' in job) {
    expected = job.expect;
    reportIfComplete();
    return;
  }
  heldPath = job.hold;
  for (const response of held.keys()) answer(response);
});
process.on('disconnect', () => process.exit());
server.listen(Number(process.env.PORT), '127.0.0.1', () => {
  process.send?.((server.address() as AddressInfo).port);
});
