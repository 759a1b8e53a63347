import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import { DomainError } from '@billing/kernel/domain-error';
import { only } from '@billing/kernel/transition';
import type { MailDocument } from '@billing/proto/billing/notifier/v1/mail_document';
import { languageOf } from '@billing/presentation/locale';
import type { EmailSettings } from '../mail-settings/email-settings';
import type { EmailSettingsStore } from '../mail-settings/email-settings-store';
import type { EmailTemplateStore } from '../mail-settings/email-template-store';
import type { MailPeers } from '../peer/peers';
import { createAttachment } from '../attachment/create-attachment';
import type { Email } from './email';
import type { MailFacts } from './mail-values';
import { type MailOccasion, newEmail } from './new-email';
import type { SuppressionStore } from './suppression-store';

/** Dependencies of the creation of a mail. */
export interface EmailCreation {
  readonly emails: AggregateCollection<Email>;
  readonly suppressions: SuppressionStore;
  readonly settings: EmailSettingsStore;
  readonly templates: EmailTemplateStore;
  readonly peers: MailPeers;
  /** Sender of live environments; undefined: no mail server is configured. */
  readonly fromAddress: string | undefined;
  /** Domains that live environments may send from. */
  readonly fromDomains: readonly string[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Renders and stores a mail. A repeat under the same id finds the first one. Rejects if a fact
 * cannot be read; then nothing is stored.
 */
export async function createEmail(
  occasion: MailOccasion,
  facts: MailFacts,
  {
    context,
    document,
    ...creation
  }: EmailCreation & {
    readonly current: EmailSettings;
    /** Attached as PDF. Optional. */
    readonly document?: MailDocument | undefined;
    readonly context: CallContext;
  },
): Promise<Stored<Email>> {
  const { emails, suppressions, current, templates, fromAddress, fromDomains } = creation;
  const { environmentId, live } = context.tenant;
  const { id, kind, webhookEventId } = occasion;
  const language = languageOf(facts.locale);
  const [changed, isSuppressed, attachment] = await Promise.all([
    templates.find(environmentId, { kind, language }),
    suppressions.isSuppressed(environmentId, facts.customer.email, id),
    document && createAttachment(document, { ...creation, context }),
  ]);
  const { email, isChangedTextRefused } = newEmail(occasion, facts, {
    attachments: attachment === undefined ? [] : [attachment],
    isLive: live,
    fromAddress,
    isSuppressed,
    now: creation.clock.now(),
    style: { settings: current, changed, fromDomains },
  });
  const own = emails.within(context);
  if (email.status === 'BOUNCED') {
    // A repeat must not suppress an address that was allowed again in between.
    const earlier = await own.find(id);
    if (earlier !== undefined) return earlier;
    await suppressBounced(suppressions, environmentId, email);
  }
  const { inserted, stored } = await own.insert(only(email));
  if (!inserted) return stored;
  const { status, reason } = email;
  const made = { emailId: id, webhookEventId, kind, status, reason };
  const alarm = { alarm: 'mail_unrendered', ...made };
  const { logger } = creation;
  if (status === 'FAILED') logger.error(alarm, 'mail cannot be rendered');
  else if (isChangedTextRefused) logger.error(alarm, 'template cannot be rendered');
  else logger.info(made, 'mail created');
  return stored;
}

/** Suppresses the address of a mail that bounced when it was made. */
export async function suppressBounced(
  suppressions: SuppressionStore,
  environmentId: string,
  { id, status, to, customerId, changedAt }: Email,
): Promise<void> {
  if (status !== 'BOUNCED') return;
  await suppressions.add(environmentId, {
    email: to,
    reason: 'HARD_BOUNCE',
    emailId: id,
    customerId,
    createdAt: changedAt,
  });
}

/** Refuses a mail of a live environment that no server could send. */
export function requireMailServer(
  { live }: Pick<CallContext['tenant'], 'live'>,
  fromAddress: string | undefined,
): void {
  if (live && fromAddress === undefined) throw noMailServer();
}

export function noMailServer(): DomainError {
  const message = 'No mail server is configured';
  return new DomainError('failed_precondition', 'NO_MAIL_SERVER', message);
}
