import { isSameData } from '@billing/kernel/equality';
import { refuseProblems } from '@billing/kernel/input-problems';
import { only, type Transition, unchanged } from '@billing/kernel/transition';
import { attachesPdf, type MailKind } from '@billing/presentation/mail-kind';
import { mailSenderProblems } from '@billing/presentation/sender-problems';

/** Settings of the mails of an environment. There is one per environment. */
export interface EmailSettings {
  /** Id of the environment. */
  readonly id: string;
  /** Null: the seller's name. */
  readonly fromName: string | null;
  /** Null: the address of the configuration. */
  readonly fromAddress: string | null;
  /** Null: the seller's. */
  readonly replyTo: string | null;
  readonly disabledKinds: readonly MailKind[];
  /** Kinds that are sent without the PDF that they may have. */
  readonly kindsWithoutPdf: readonly MailKind[];
}

/** Settings of an environment that has set nothing. */
export function defaultEmailSettings(environmentId: string): EmailSettings {
  return {
    id: environmentId,
    fromName: null,
    fromAddress: null,
    replyTo: null,
    disabledKinds: [],
    kindsWithoutPdf: [],
  };
}

/** Changes of the settings: an absent field stays, null clears it. */
export interface EmailSettingsChanges {
  readonly fromName?: string | null | undefined;
  readonly fromAddress?: string | null | undefined;
  readonly replyTo?: string | null | undefined;
  readonly kinds: readonly { readonly kind: MailKind; readonly enabled: boolean }[];
  readonly pdfs: readonly { readonly kind: MailKind; readonly attached: boolean }[];
}

/**
 * Changes the settings. Reports all problems at once. `allowedDomains` are the domains to send
 * from, in lower case; undefined: any, as in sandboxes.
 */
export function changeEmailSettings(
  settings: EmailSettings,
  { kinds, pdfs, ...changes }: EmailSettingsChanges,
  allowedDomains: readonly string[] | undefined,
): Transition<EmailSettings> {
  refuseProblems({
    ...settingsProblems(changes, allowedDomains),
    kinds: pdfs.filter(({ kind }) => !attachesPdf(kind)).map(({ kind }) => `No PDF for ${kind}`),
  });
  const changed = {
    ...settings,
    fromName: changedText(settings.fromName, changes.fromName),
    fromAddress: changedText(settings.fromAddress, changes.fromAddress),
    replyTo: changedText(settings.replyTo, changes.replyTo),
    disabledKinds: kinds.reduce(
      (disabled, { kind, enabled }) => switched(disabled, kind, !enabled),
      settings.disabledKinds,
    ),
    kindsWithoutPdf: pdfs.reduce(
      (without, { kind, attached }) => switched(without, kind, !attached),
      settings.kindsWithoutPdf,
    ),
  };
  return isSameData(changed, settings) ? unchanged(settings) : only(changed);
}

/** Kinds with one among them or not. */
function switched(kinds: readonly MailKind[], kind: MailKind, isIn: boolean): readonly MailKind[] {
  const others = kinds.filter((other) => other !== kind);
  return isIn ? [...others, kind].sort() : others;
}

function settingsProblems(
  fields: Omit<EmailSettingsChanges, 'kinds' | 'pdfs'>,
  allowedDomains: readonly string[] | undefined,
) {
  const problems = mailSenderProblems(fields);
  const { fromAddress } = fields;
  const isAllowed = (address: string) => maySendFrom(address, allowedDomains);
  if (typeof fromAddress !== 'string' || problems.fromAddress.length > 0) return problems;
  return { ...problems, fromAddress: isAllowed(fromAddress) ? [] : ['Domain is not allowed'] };
}

/** True if an environment may send from an address. */
export function maySendFrom(
  address: string,
  allowedDomains: readonly string[] | undefined,
): boolean {
  const domain = address
    .slice(address.lastIndexOf('@') + 1)
    .trim()
    .toLowerCase();
  return allowedDomains === undefined || allowedDomains.includes(domain);
}

/** True if mails of a kind have a PDF. */
export function attachesPdfNow({ kindsWithoutPdf }: EmailSettings, kind: MailKind): boolean {
  return attachesPdf(kind) && !kindsWithoutPdf.includes(kind);
}

function changedText(current: string | null, sent: string | null | undefined): string | null {
  return sent === undefined ? current : (sent?.trim() ?? null);
}
