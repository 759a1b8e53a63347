import { RateLimit } from '../http/rate-limit';

const mailsPerHour = 3;
const secondsPerHour = 3_600;

/** Limits of invitations that are mailed. An operator could invite a stranger again and again. */
export class InvitationLimits {
  private readonly mails = new RateLimit({
    perSecond: mailsPerHour / secondsPerHour,
    burst: mailsPerHour,
  });

  /** True if an organization may mail one more invitation to an address. */
  mayMail(organizationId: string, email: string, now: Date): boolean {
    const name = `${organizationId} ${email.trim().toLowerCase()}`;
    return this.mails.take(name, now).isAllowed;
  }
}
