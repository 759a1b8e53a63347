import { examineEach, type Invariant, together } from '../picture/invariant';
import type { EmailPicture } from '../picture/mail-picture';
import type { FeedEntryPicture } from '../picture/picture';

export const mailsStayInside: Invariant = {
  id: 'I84',
  title:
    'no mail of a sandbox is given to a mail server, no sign-in link of a live one is readable',
  examine: ({ feed, mail }) => {
    if (mail === undefined) return undefined;
    const { isLive, emails, handedOver = [] } = mail;
    const given = handedOver.map(idOf);
    return together(
      examineEach(emails, (email) =>
        isLive ? secretProblems(email) : escapeProblems(email, given.includes(email.id)),
      ),
      examineEach(feed?.entries ?? [], announcedProblems),
    );
  },
};

/** Id of a mail by its Message-ID. */
function idOf(messageId: string): string {
  return messageId.replace(/^<|@.*$/g, '');
}

function escapeProblems(
  { id, status, attempts }: EmailPicture,
  isGiven: boolean,
): (string | false)[] {
  const isForServer = status === 'PENDING' || status === 'UNKNOWN' || attempts > 0;
  return [
    isForServer && `mail ${id} of a sandbox is ${status} after ${String(attempts)} attempts`,
    isGiven && `mail ${id} of a sandbox was given to a mail server`,
  ];
}

function secretProblems({ id, kind, content }: EmailPicture): (string | false)[] {
  return [kind === 'PORTAL_LINK' && content !== null && `mail ${id} shows its sign-in link`];
}

/** Events about mails have no content, in any environment. */
function announcedProblems({ position, event }: FeedEntryPicture): (string | false)[] {
  const { email } = (event as { data?: { email?: { content?: unknown } } } | null)?.data ?? {};
  return [(email?.content ?? null) !== null && `position ${String(position)} shows a mail`];
}
