import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { DomainError } from '@billing/kernel/domain-error';
import { renderOperatorMail } from '@billing/presentation/render-operator-mail';
import type { EmailSettingsStore } from '../mail-settings/email-settings-store';
import type { MailPeers } from '../peer/peers';
import { sendBySmtp, type SmtpSettings } from '../smtp/send-by-smtp';
import type { FailedAttempt } from '../smtp/send-outcome';
import { noMailServer } from './create-email';
import type { Email } from './email';
import { headersOf } from './email-headers';
import { toMimeMessage } from './create-mime-message';
import { readMailFiles } from '../attachment/read-mail-files';
import { findLook } from './find-mail-facts';
import type { MailSender } from './mail-sender-worker';
import { senderOf } from './new-email';

/** Dependencies of a test mail. */
export interface TestEmailDependencies {
  readonly peers: Pick<MailPeers, 'branding' | 'seller'>;
  readonly settings: EmailSettingsStore;
  /** Undefined: no mail server is configured. */
  readonly smtp: SmtpSettings | undefined;
  readonly fromAddress: string | undefined;
  readonly fromDomains: readonly string[];
  /** Envelope sender; undefined: the address that the mail is from. */
  readonly bounceAddress: string | undefined;
  readonly sender: Pick<MailSender, 'attemptOnce'>;
  readonly clock: Clock;
}

/** Answer of the mail server to a test mail. */
export type TestEmailResult = Pick<Email, 'status' | 'reason'>;

const locale = 'en';
// A person waits for the answer.
const stepMsMax = 8_000;
const attemptMsMax = 25_000;

/**
 * Gives a test mail to the mail server and waits for its answer, within the limits of connections
 * and rate of all mails. Nothing is stored or retried.
 */
export async function sendTestEmail(
  to: string,
  context: CallContext,
  dependencies: TestEmailDependencies,
): Promise<TestEmailResult> {
  const { peers, smtp, fromAddress, fromDomains, bounceAddress, clock } = dependencies;
  if (!context.tenant.live || smtp === undefined) throw noMailServer();
  const [{ seller, brand }, { state: settings }] = await Promise.all([
    findLook(peers, context),
    dependencies.settings.read(context),
  ]);
  const from = senderOf({ seller }, { isLive: true, fromAddress }, { settings, fromDomains });
  const { subject, text, html } = renderOperatorMail('TEST', { 'seller.name': seller.name }, brand);
  const headers = headersOf({ id: newId(), from, kind: 'TEST', locale });
  const logoSha256 = brand.logo?.sha256;
  const files = await readMailFiles({ ...(logoSha256 && { logoSha256 }) }, { peers, context });
  const mail = {
    subject,
    from,
    to,
    replyTo: settings.replyTo ?? seller.email ?? null,
    content: { text, html, headers },
    madeAt: clock.now(),
  };
  const bytes = await toMimeMessage(mail, files);
  let isHandedOver = false as boolean;
  const limit = AbortSignal.timeout(attemptMsMax);
  const signal = AbortSignal.any([context.signal, limit]);
  const send = () =>
    sendBySmtp(
      { from: bounceAddress ?? from.address, to, bytes },
      {
        settings: { ...smtp, timeoutMs: Math.min(smtp.timeoutMs, stepMsMax) },
        signal,
        beforeContent: () => {
          isHandedOver = true;
          return Promise.resolve();
        },
      },
    );
  const result = await dependencies.sender.attemptOnce(send, signal).catch((error: unknown) => {
    throw error === limit.reason ? allConnectionsInUse() : error;
  });
  return testEmailResult(result, isHandedOver);
}

function allConnectionsInUse(): DomainError {
  return new DomainError('unavailable', 'MAIL_CONNECTIONS_IN_USE', 'Service unavailable');
}

/** Status and reason that show the result of the only attempt. */
export function testEmailResult(result: FailedAttempt, isHandedOver: boolean): TestEmailResult {
  switch (result.kind) {
    case 'ACCEPTED':
      return { status: 'SENT', reason: null };
    case 'BOUNCED':
      return { status: 'BOUNCED', reason: 'hard_bounce' };
    case 'REFUSED':
    case 'POSTPONED':
      return { status: 'FAILED', reason: result.reason };
    case 'NO_ANSWER':
      return isHandedOver
        ? { status: 'UNKNOWN', reason: 'outcome_unknown' }
        : { status: 'FAILED', reason: result.reason };
  }
}
