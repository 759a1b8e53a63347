import MailComposer from 'nodemailer/lib/mail-composer';
import type { MailFile } from '../attachment/attachment';
import type { OutgoingMail } from './email';

/** The bytes of a mail as a server gets them. */
export function toMimeMessage(
  {
    subject,
    from,
    to,
    replyTo,
    content,
    madeAt,
  }: Pick<OutgoingMail, 'subject' | 'from' | 'to' | 'replyTo' | 'content' | 'madeAt'>,
  files: readonly MailFile[] = [],
): Promise<Buffer> {
  if (content === null) throw new Error('A mail without content is never sent');
  const [messageId, ...headers] = content.headers;
  const composer = new MailComposer({
    from,
    to: { name: '', address: to },
    ...(replyTo !== null && { replyTo: { name: '', address: replyTo } }),
    subject,
    date: madeAt,
    messageId: messageId?.value,
    headers: headers.map(({ name: key, value }) => ({ key, value })),
    text: content.text,
    html: content.html,
    attachments: files.map(({ filename, contentType, bytes, contentId: cid }) => ({
      ...{ filename, contentType, content: bytes },
      ...(cid !== undefined && { cid, contentDisposition: 'inline' as const }),
    })),
    // Contents are texts and bytes: nothing in them names a file or an address to read.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}
