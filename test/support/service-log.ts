import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@billing/chassis/testing';

const warningsMax = 50;
const lastRequestId = 'the-last-request';

/** Sends the request that marks the end of the logs for `logsOf`. */
export async function sendLastRequest({ gatewayUrl }: { gatewayUrl: string }): Promise<void> {
  const headers = { 'X-Request-Id': lastRequestId };
  await (await fetch(`${gatewayUrl}/healthz`, { headers })).arrayBuffer();
}

/** Returns the log of each service, once it contains the last request. */
export function logsOf({ logDir }: { logDir: string }): Promise<Map<string, string>> {
  return eventually(async () => {
    const files = await readdir(logDir);
    const texts = files.map(
      async (file) =>
        [file.replace('.log', ''), await readFile(join(logDir, file), 'utf8')] as const,
    );
    const all = new Map(await Promise.all(texts));
    expect(all.get('gateway')).toContain(lastRequestId);
    return all;
  });
}

/** The latest warnings and errors of the services. */
export async function warningsIn({ logDir }: { logDir: string }): Promise<string[]> {
  const files = await readdir(logDir);
  const texts = files.map((file) => readFile(join(logDir, file), 'utf8'));
  const lines = (await Promise.all(texts)).join('').split('\n');
  return lines
    .filter((line) => /"level":"(warn|error|fatal)"/.test(line))
    .sort((a, b) => timeOf(a).localeCompare(timeOf(b)))
    .slice(-warningsMax);
}

function timeOf(line: string): string {
  const [, time = ''] = /"time":"([^"]+)"/.exec(line) ?? [];
  return time;
}
