import { createHash } from 'node:crypto';
import type { CallContext } from '@billing/chassis/call-context';
import type { Logger } from '@billing/chassis/logging';
import { renderCreditNotePdf } from '@billing/documents/credit-note-pdf';
import { renderInvoicePdf } from '@billing/documents/invoice-pdf';
import { unlessNotFound } from '@billing/kernel/domain-error';
import { MailDocument } from '@billing/proto/billing/notifier/v1/mail_document';
import type { MailPeers } from '../peer/peers';
import type { EmailAttachment } from './attachment';

// 10 MB in a mail, which has bytes in base64. Larger mails are refused by many servers.
const bytesMax = 7 * 1024 * 1024;

interface Sources {
  readonly peers: Pick<MailPeers, 'seller'>;
  readonly context: CallContext;
}

/**
 * Renders the PDF of a mail. Rejects if a fact cannot be read, which a retry repairs; undefined,
 * with an alarm, for a document that cannot be rendered or is too large to be sent.
 */
export async function createAttachment(
  document: MailDocument,
  { logger, ...sources }: Sources & { readonly logger: Logger },
): Promise<EmailAttachment | undefined> {
  const source = Buffer.from(MailDocument.encode(document).finish());
  const filename = filenameOf(document);
  const logo = await findLogo(document, sources);
  try {
    const bytes = await render(document, logo, sources);
    const size = bytes.length;
    if (Math.max(size, source.length) > bytesMax) throw new Error(`A PDF of ${String(size)} bytes`);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { filename, size, sha256, source: source.toString('base64') };
  } catch (error) {
    const facts = { alarm: 'mail_unrendered', err: error, filename };
    logger.error(facts, 'document cannot be attached');
    return undefined;
  }
}

/** Renders the PDF of a stored mail again. Rejects if a fact cannot be read. */
export async function createAttachmentBytes(
  { source }: EmailAttachment,
  sources: Sources,
): Promise<Buffer> {
  const document = MailDocument.decode(Buffer.from(source, 'base64'));
  return render(document, await findLogo(document, sources), sources);
}

// As in the downloads of the gateway.
function filenameOf({ creditNote, invoice }: MailDocument): string {
  const number = (creditNote ?? invoice)?.number ?? 'invoice';
  return `${number.replace(/[^\w-]/g, '')}.pdf`;
}

function render(
  { invoice, creditNote: note, customer, creditNotes }: MailDocument,
  logo: Uint8Array | undefined,
  { context }: Sources,
): Promise<Buffer> {
  if (invoice === undefined) throw new Error('A document without its invoice');
  const frame = { invoice, customer, logo, isTest: !context.tenant.live };
  return note === undefined
    ? renderInvoicePdf({ ...frame, creditNotes })
    : renderCreditNotePdf({ ...frame, note });
}

async function findLogo(
  { invoice, creditNote }: MailDocument,
  { peers, context }: Sources,
): Promise<Uint8Array | undefined> {
  const sha256 = (creditNote ?? invoice)?.seller?.logo?.sha256;
  if (sha256 === undefined) return undefined;
  return (await unlessNotFound(peers.seller.getLogo({ sha256 }, context)))?.data;
}
