import { examineEach, type Invariant, repeated, together } from './picture/invariant';
import type { EventPicture, FeedEntryPicture, FeedPicture, Picture } from './picture/picture';

export const feedIsWhole: Invariant = {
  id: 'I80',
  title: 'the feed: positions 1…k, each message once, subjects in order, bytes of the webhooks',
  examine: ({ feed, endpoints, events = [] }) => {
    if (feed === undefined) return undefined;
    return together(
      { examined: feed.entries.length, findings: positionProblems(feed) },
      orderProblems(feed),
      examineEach(
        feed.oldest === 1 ? events.filter(isPublic) : [],
        eventProblems(new Set(feed.entries.map(keyOf))),
      ),
      bodyProblems(feed, endpoints),
    );
  },
};

export const eventsHaveOneContent: Invariant = {
  id: 'I62',
  title: 'an event of a subject, number and restore has one content, in the feed and everywhere',
  examine: ({ feed, endpoints }) => {
    const placed = (feed?.entries ?? []).filter(({ event }) => event !== null);
    const sent = endpoints.flatMap(({ received = [] }) => received.map(({ text }) => text));
    if (placed.length + sent.length === 0) return undefined;
    const texts = [...placed.map(({ event }) => JSON.stringify(event)), ...new Set(sent)];
    const ofMessages = Map.groupBy(texts, (text) => (JSON.parse(text) as { id: string }).id);
    return together(
      examineEach([...ofMessages], ([id, some]) => {
        const count = new Set(some).size;
        return [count > 1 && `message ${id} has ${String(count)} contents`];
      }),
      {
        examined: placed.length,
        findings: repeated(placed.map(eventKeyOf)).map(
          ([key, count]) => `event ${key} has ${String(count)} messages`,
        ),
      },
    );
  },
};

function positionProblems({ entries, oldest, newest }: FeedPicture): string[] {
  const first = oldest ?? 1;
  const gap = entries.find(({ position }, index) => position !== first + index);
  const last = entries.at(-1)?.position ?? 0;
  return [
    ...(gap === undefined ? [] : [`the feed lacks positions before ${String(gap.position)}`]),
    ...(last < newest ? [`the feed ends at ${String(last)} before ${String(newest)}`] : []),
    ...repeated(entries.flatMap(({ event }) => event?.id ?? [])).map(
      ([id, count]) => `the feed holds message ${id} ${String(count)} times`,
    ),
  ];
}

function orderProblems({ entries, oldest }: FeedPicture) {
  const last = new Map<string, { sequence: number; restoreCode: string | null }>();
  return examineEach(
    entries.filter(({ event }) => event !== null),
    ({ position, subject, event }) => {
      const latest = last.get(subject.id);
      const before = latest?.sequence ?? (oldest === 1 ? 0 : undefined);
      const { sequence = 0, restoreCode = null } = event ?? {};
      last.set(subject.id, { sequence, restoreCode });
      // After a restore, a subject numbers on from the instant: its last events may be lost.
      const isNewCode = latest !== undefined && latest.restoreCode !== restoreCode;
      return [
        before !== undefined &&
          sequence !== before + 1 &&
          !(isNewCode && sequence <= before) &&
          `position ${String(position)}: ${String(sequence)} follows ${String(before)} of ${subject.id}`,
      ];
    },
  );
}

function eventProblems(placed: ReadonlySet<string>) {
  return ({ id, type }: EventPicture) => [!placed.has(id) && `the feed lacks ${type} ${id}`];
}

function bodyProblems({ entries }: FeedPicture, endpoints: Picture['endpoints']) {
  const texts = new Map(entries.map(({ event }) => [event?.id, JSON.stringify(event)]));
  const sent = endpoints
    .flatMap(({ received = [] }) => received.map(({ text }) => text))
    .filter((text) => texts.has((JSON.parse(text) as { id: string }).id));
  return examineEach(sent, (text) => {
    const { id } = JSON.parse(text) as { id: string };
    return [texts.get(id) !== text && `the feed holds another body of message ${id}`];
  });
}

function keyOf({ subject, event }: FeedEntryPicture): string {
  return `${subject.id}:${String(event?.sequence)}`;
}

function eventKeyOf(entry: FeedEntryPicture): string {
  return `${keyOf(entry)}:${entry.event?.restoreCode ?? ''}`;
}

/** True for every event but those that services announce to each other. */
function isPublic({ type }: EventPicture): boolean {
  return !type.startsWith('api_key.');
}
