import type { Invariant } from './picture/invariant';
import type { Picture } from './picture/picture';

// Requests that ran at a deletion may leave data until the second look.
const secondLookAfterMs = 20_000;
// Until then webhooks and the feed can replay events.
const replayableForMs = 30 * 86_400_000;

export const erasedCustomersLeaveNothing: Invariant = {
  id: 'I23',
  title: 'nothing personal of an erased customer outside kept documents after 30 days',
  examine: (picture) => {
    const { erasedCustomers } = picture;
    if (erasedCustomers === undefined) return undefined;
    return {
      examined: erasedCustomers.length,
      findings: [
        ...personalData(picture, erasedFor(picture, secondLookAfterMs)),
        ...replayableData(picture, erasedFor(picture, replayableForMs)),
        ...listed(picture, erasedFor(picture, 0)),
      ],
    };
  },
};

type Erased = ReadonlyMap<string, Date>;

/** Customers that were deleted longer ago than a span of real time, with the end of that span. */
function erasedFor({ erasedCustomers = [], takenAt }: Picture, ms: number): Erased {
  const ends = erasedCustomers.map(
    ({ id, erasedAt }) => [id, new Date(erasedAt.getTime() + ms)] as const,
  );
  return new Map(ends.filter(([, end]) => end < takenAt));
}

function personalData(
  { subscriptions, sessions = [], usageEvents, mail }: Picture,
  erased: Erased,
): string[] {
  const isErased = ({ customerId }: { readonly customerId: string | null }) =>
    customerId !== null && erased.has(customerId);
  const mails = mail?.emails.filter(isErased) ?? [];
  const mailIds = new Set(mails.map(({ id }) => id));
  return [
    ...subscriptions
      .filter((one) => isErased(one) && isPersonal(one))
      .map(({ id }) => `subscription ${id} keeps data of its erased customer`),
    ...sessions
      .filter((one) => isErased(one) && one.isPersonal)
      .map(({ id }) => `session ${id} keeps data of its erased customer`),
    ...usageEvents
      .filter((one) => isErased(one) && hasFields(one.properties))
      .map(({ id }) => `usage event ${id} keeps properties of its erased customer`),
    ...mails
      .filter(({ to, subject, content }) => [to, subject, content].some((part) => part !== null))
      .map(({ id }) => `mail ${id} keeps data of its erased customer`),
    ...(mail?.suppressions ?? [])
      .filter(({ emailId }) => mailIds.has(emailId))
      .map(({ id }) => `suppression ${id} keeps the address of an erased customer`),
  ];
}

function replayableData({ events = [], feed }: Picture, erased: Erased): string[] {
  return [
    ...events
      .filter(({ customerIds, insertedAt }) =>
        // Kept documents may change, and be announced, later.
        customerIds.some((id) => insertedAt.getTime() < (erased.get(id)?.getTime() ?? 0)),
      )
      .map(({ service, id }) => `event ${id} of ${service} names an erased customer`),
    ...(feed?.entries ?? [])
      .filter(({ subject, event }) => event !== null && erased.has(subject.id))
      .map(({ position }) => `feed entry ${String(position)} is about an erased customer`),
  ];
}

function listed({ exports = [] }: Picture, erased: Erased): string[] {
  return exports
    .filter(({ resource }) => resource === 'customers')
    .flatMap(({ present }) => present.filter(({ id }) => erased.has(id)))
    .map(({ id }) => `erased customer ${id} is listed`);
}

function isPersonal({ customer, metadata }: Picture['subscriptions'][number]): boolean {
  return (customer?.email ?? customer?.name ?? null) !== null || hasFields(metadata);
}

function hasFields(object: Readonly<Record<string, unknown>> | null | undefined): boolean {
  return Object.keys(object ?? {}).length > 0;
}
