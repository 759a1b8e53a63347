/** Media type of attachments. */
export const pdfType = 'application/pdf';

/** A PDF of a mail. It is not stored, and rendered again from its source. */
export interface EmailAttachment {
  /** `INV-000001.pdf`. */
  readonly filename: string;
  /** In bytes. */
  readonly size: number;
  /** Hash of the bytes, in hexadecimal digits. */
  readonly sha256: string;
  /** The document that it shows, as it was when the mail was made: a `MailDocument` in base64. */
  readonly source: string;
}

/** Files that belong to the content of a mail. */
export interface AttachedContent {
  /** Hash of the image that the HTML shows; absent: none. */
  readonly logoSha256?: string;
  /** Absent: none. */
  readonly attachments?: readonly EmailAttachment[];
}

/** A file of a mail as its recipient gets it. */
export interface MailFile {
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Buffer;
  /** Only of an image that the HTML shows. */
  readonly contentId?: string;
}
