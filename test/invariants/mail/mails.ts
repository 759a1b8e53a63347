import { examineEach, groupBy, type Invariant, repeated, together } from '../picture/invariant';
import type { EmailPicture, MailPicture } from '../picture/mail-picture';
import type { FeedPicture, Picture } from '../picture/picture';
import { type Announcement, causedKind } from './caused-kind';

export const mailsFollowEvents: Invariant = {
  id: 'I83',
  title: 'one mail for each event that payers must hear of, no other mails, no Message-ID twice',
  examine: (picture) => {
    const { feed, mail } = picture;
    if (feed === undefined || mail === undefined) return undefined;
    const caused = mail.emails.filter(({ webhookEventId }) => webhookEventId !== null);
    const ofEvent = groupBy(caused, ({ webhookEventId }) => String(webhookEventId));
    const announced = announcementsIn(feed);
    const parts = together(
      examineEach(announced, (one) => mailProblems(one, ofEvent.get(one.id) ?? [], mail)),
      examineEach(unplaced(picture, caused, announced), ({ id, webhookEventId }) => [
        `mail ${id} is about event ${String(webhookEventId)}, which the feed lacks`,
      ]),
      messageIdProblems(mail),
    );
    return { ...parts, unseen: mail.isLive ? unseenIn(mail) : [] };
  },
};

function announcementsIn({ entries }: FeedPicture): Announcement[] {
  return entries.flatMap(({ event }) => (event === null ? [] : [event as unknown as Announcement]));
}

function mailProblems(
  event: Announcement,
  emails: readonly EmailPicture[],
  mail: MailPicture,
): (string | false)[] {
  const kind = causedKind(event);
  const name = `event ${event.id} (${event.type})`;
  return [
    emails.length > 1 && `${name} has ${String(emails.length)} mails`,
    emails.length === 0 && isOwed(event, kind, mail) && `${name} lacks its mail ${String(kind)}`,
    ...emails.map(
      (email) =>
        email.kind !== kind && `${name} causes ${kind ?? 'no mail'}, but has mail ${email.kind}`,
    ),
  ];
}

/** False where a mail may be missing, because a condition of the past is not known any more. */
function isOwed(
  { data, restoreCode }: Announcement,
  kind: string | undefined,
  { isLive, settings, customerIds }: MailPicture,
): boolean {
  // A release before 0.2.0 may have accepted the event without making mails.
  if (kind === undefined || isLive || restoreCode === undefined) return false;
  return settings.updatedAt === null && customerIds.has(String(data.customerId));
}

/** Mails about events that the feed should have, and lacks. */
function unplaced(
  { feed, restoreCodes = [] }: Picture,
  emails: readonly EmailPicture[],
  announced: readonly Announcement[],
): readonly EmailPicture[] {
  const isWhole = feed?.oldest === 1 && feed.entries.length === announced.length;
  // Mails are kept longer than events, and a restore begins a new feed.
  if (!isWhole || restoreCodes.length > 0) return [];
  const placed = new Set(announced.map(({ id }) => id));
  return emails.filter(({ webhookEventId }) => !placed.has(String(webhookEventId)));
}

function messageIdProblems({ emails, handedOver = [] }: MailPicture) {
  const named = emails.flatMap(({ content }) =>
    (content?.headers ?? []).filter(({ name }) => name === 'Message-ID').map(({ value }) => value),
  );
  return {
    examined: named.length + handedOver.length,
    findings: [
      ...repeated(named).map(([id, count]) => `${String(count)} mails have the Message-ID ${id}`),
      ...repeated(handedOver).map(
        ([id, count]) => `Message-ID ${id} was handed over ${String(count)} times`,
      ),
    ],
  };
}

function unseenIn({ handedOver }: MailPicture): string[] {
  return [
    'live events without a mail, since a mail server may have been missing',
    ...(handedOver === undefined ? ['Message-IDs that the mail server got'] : []),
  ];
}
