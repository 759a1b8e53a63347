/** A mail as the API shows it. */
export interface EmailPicture {
  readonly id: string;
  readonly kind: string;
  readonly customerId: string;
  /** Null for a mail that was asked for. */
  readonly webhookEventId: string | null;
  /** Null after the deletion of the customer, as the subject. */
  readonly to: string | null;
  readonly subject: string | null;
  readonly locale: string;
  readonly status: 'PENDING' | 'SENT' | 'FAILED' | 'BOUNCED' | 'SKIPPED' | 'UNKNOWN';
  readonly attempts: number;
  /** Null where it was not read, too. */
  readonly content: {
    readonly html: string;
    readonly headers: readonly { readonly name: string; readonly value: string }[];
  } | null;
}

interface SuppressionPicture {
  readonly id: string;
  /** Mail that the address refused. */
  readonly emailId: string;
}

/** Text of a kind of mails in a language. */
export interface MailTextPicture {
  readonly kind: string;
  readonly language: string;
  readonly subject: string;
  readonly body: string;
  /** False for a text of the seller. */
  readonly isDefault: boolean;
}

/** The mails of an environment. */
export interface MailPicture {
  readonly isLive: boolean;
  readonly emails: readonly EmailPicture[];
  readonly suppressions: readonly SuppressionPicture[];
  readonly settings: {
    readonly kinds: Readonly<Record<string, { readonly enabled: boolean }>>;
    /** Null if they were never changed. */
    readonly updatedAt: string | null;
  };
  /** Customers that are not deleted. */
  readonly customerIds: ReadonlySet<string>;
  /** Undefined if they were not read. */
  readonly texts: readonly MailTextPicture[] | undefined;
  /** Message-IDs of the contents that a mail server got; undefined if no server was observed. */
  readonly handedOver: readonly string[] | undefined;
}
