import type { CallContext } from '@billing/chassis/call-context';
import { unlessNotFound } from '@billing/kernel/domain-error';
import { logoContentId } from '@billing/presentation/mail-html';
import type { MailPeers } from '../peer/peers';
import { type AttachedContent, type MailFile, pdfType } from './attachment';
import { createAttachmentBytes } from './create-attachment';

interface Sources {
  readonly peers: Pick<MailPeers, 'seller'>;
  readonly context: CallContext;
}

/** The image and the PDFs of a mail. Rejects if one cannot be read. */
export async function readMailFiles(
  content: AttachedContent | null,
  sources: Sources,
): Promise<MailFile[]> {
  const { logoSha256, attachments = [] } = content ?? {};
  const [logo, ...pdfs] = await Promise.all([
    logoSha256 === undefined ? undefined : readLogo(logoSha256, sources),
    ...attachments.map(async (attachment) => {
      const { filename } = attachment;
      const bytes = await createAttachmentBytes(attachment, sources);
      return { filename, contentType: pdfType, bytes };
    }),
  ]);
  return [logo, ...pdfs].filter((file) => file !== undefined);
}

/** Undefined if the image is gone: the mail shows the name of the seller instead. */
async function readLogo(
  sha256: string,
  { peers, context }: Sources,
): Promise<MailFile | undefined> {
  const found = await unlessNotFound(peers.seller.getLogo({ sha256 }, context));
  if (found === undefined) return undefined;
  const { contentType, data } = found;
  const filename = contentType === 'image/png' ? 'logo.png' : 'logo.jpg';
  return { filename, contentType, bytes: data, contentId: logoContentId(sha256) };
}
