import { Readable } from 'node:stream';
import { z } from 'zod';
import type { CallContext } from '@billing/chassis/call-context';
import type { AuditCursor } from '@billing/proto/billing/identity/v1/operator';
import type { Call } from '../../http/exchange';
import { optional, readQuery, time } from '../../api/input/input';
import type { Peers } from '../../peer/peers';
import { toJsonAuditEntry } from '../route/operator-json';
import type { OperatorRoute } from '../route/route';

const ExportAuditEntries = z.object({ since: optional(time), until: optional(time) });

// Deadline for a full log of 400 days, which is many parts.
const exportDeadlineMs = 10 * 60_000;
const entriesInPart = 500;

/** Export of the whole audit log, for log collectors. */
export const auditExportRoutes: readonly OperatorRoute[] = [
  {
    method: 'GET',
    path: '/audit.ndjson',
    deadlineMs: exportDeadlineMs,
    handle: async ({ query, session, call }, { peers }) => {
      const range = readQuery(ExportAuditEntries, { query });
      const parts = lines({ sessionToken: session, ...range }, { peers, call });
      // Fetches the first part before the response starts, so that an error still has its status.
      const first = await parts.next();
      const body = Readable.from(rest(first.value ?? '', parts));
      return { status: 200, body, headers: { 'Content-Type': 'application/x-ndjson' } };
    },
  },
];

async function* lines(
  asked: { sessionToken: string; since?: Date | undefined; until?: Date | undefined },
  { peers, call }: { peers: Peers; call: Call },
): AsyncGenerator<string, void> {
  let after: AuditCursor | undefined;
  for (;;) {
    const request = { ...asked, since: asked.since, until: asked.until, after };
    const { entries } = await peers.operator.exportAuditEntries(request, call as CallContext);
    yield entries.map((entry) => `${JSON.stringify(toJsonAuditEntry(entry))}\n`).join('');
    const last = entries.at(-1);
    if (last === undefined || entries.length < entriesInPart) return;
    after = { at: last.at, id: last.id };
  }
}

async function* rest(first: string, parts: AsyncGenerator<string, void>): AsyncGenerator<string> {
  yield first;
  yield* parts;
}
