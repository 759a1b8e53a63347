import { toWebhookEventText } from '@billing/proto/json/webhook/webhook-event';
import { type ExportContext, type ExportRange, pagesOf, type ReadPage } from './resource-pages';
import type { Row } from './row-format';

const limit = 1_000;

/**
 * Pages of the kept events, by position, up to the newest one when the export of the feed began.
 * The range is that of their acceptance.
 */
export function webhookEventPages(
  { from, to }: ExportRange,
  exported: ExportContext,
): AsyncIterable<readonly Row[]> {
  const { webhookFeed } = exported.peers;
  let newest: number | undefined;
  const read: ReadPage<string> = async (after, context) => {
    const page = await webhookFeed.listWebhookEvents(
      { after, limit, types: [], waitMs: 0 },
      context,
    );
    const end = (newest ??= positionIn(page.newest));
    const isShown = ({ acceptedAt, position }: (typeof page.events)[number]) =>
      acceptedAt !== undefined &&
      Number(position) <= end &&
      (from === undefined || acceptedAt >= from) &&
      (to === undefined || acceptedAt < to);
    const rows = page.events
      .filter(isShown)
      .map((event) => JSON.parse(toWebhookEventText(event)) as Row);
    const isLast = page.nextAfter === after || positionIn(page.nextAfter) >= end;
    return { rows, next: isLast ? undefined : page.nextAfter };
  };
  return pagesOf(read, exported);
}

/** After a restore, a cursor begins with its code. */
function positionIn(cursor: string): number {
  return Number(cursor.slice(cursor.lastIndexOf('.') + 1));
}
