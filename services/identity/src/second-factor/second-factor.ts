import { DomainError, invalidInput, notFound } from '@billing/kernel/domain-error';
import { recoveryCodeHash } from './recovery-codes';
import { stepOfCode } from './totp';

/** The second factor of an operator: codes of an app, and recovery codes. */
export interface SecondFactor {
  /** Base32 of the app's secret, sealed under DATA_KEYS. */
  readonly sealedSecret: string;
  /** Real time of the confirmation; undefined before it: the factor does not count yet. */
  readonly confirmedAt: Date | undefined;
  /** Step of the last accepted code, which and whose predecessors are no longer valid. */
  readonly lastStep: number;
  /** Hashes of the recovery codes that are not used yet. */
  readonly recoveryHashes: readonly string[];
}

/** An unsealed secret with a typed code. */
export interface Proof {
  readonly secret: Buffer;
  readonly code: string;
}

/** Begins a second factor, which replaces an unconfirmed one. */
export function beginSecondFactor(
  present: SecondFactor | undefined,
  sealedSecret: string,
): SecondFactor {
  if (isConfirmed(present)) {
    throw new DomainError(
      'already_exists',
      'SECOND_FACTOR_EXISTS',
      'A second factor is set up already',
    );
  }
  return { sealedSecret, confirmedAt: undefined, lastStep: -1, recoveryHashes: [] };
}

/** The first code of a second factor, and the recovery codes to store. */
export interface FirstProof extends Proof {
  readonly recoveryHashes: readonly string[];
  /** Real time of the sign-in of the session that confirms. */
  readonly sessionOpenedAt: Date;
}

/**
 * Confirms a begun second factor with a first code, which is not valid again. While the code is
 * valid, the session that has confirmed may retry with it, for new recovery codes, because the
 * response may have been lost; all other sessions from before the confirmation have ended.
 */
export function confirmSecondFactor(
  begun: SecondFactor | undefined,
  { secret, code, recoveryHashes, sessionOpenedAt }: FirstProof,
  now: Date,
): SecondFactor {
  if (begun === undefined) throw notFound('Second factor');
  const { confirmedAt = now, lastStep: used } = begun;
  const typed = { code: typedDigits(code), lastStep: isConfirmed(begun) ? used - 1 : used };
  const lastStep = stepOfCode(secret, typed, now);
  const isRetry = lastStep === used && sessionOpenedAt < confirmedAt;
  if (isConfirmed(begun) && !isRetry) throw notFound('Second factor');
  if (lastStep === undefined) throw wrongCode();
  return { ...begun, confirmedAt, lastStep, recoveryHashes };
}

/**
 * Uses a code of the app or a recovery code, which is not valid again. Undefined for any other
 * text.
 */
export function useCode(
  factor: SecondFactor,
  { secret, code }: Proof,
  now: Date,
): SecondFactor | undefined {
  const { lastStep } = factor;
  const step = stepOfCode(secret, { code: typedDigits(code), lastStep }, now);
  if (step !== undefined) return { ...factor, lastStep: step };
  const hash = recoveryCodeHash(code);
  const recoveryHashes = factor.recoveryHashes.filter((one) => one !== hash);
  if (recoveryHashes.length === factor.recoveryHashes.length) return undefined;
  return { ...factor, recoveryHashes };
}

/** True if a second factor counts. */
export function isConfirmed(factor: SecondFactor | undefined): factor is SecondFactor {
  return factor?.confirmedAt !== undefined;
}

/** Error of a wrong code where the operator is signed in. */
export function wrongCode(): DomainError {
  return invalidInput({ code: ['Wrong or used code'] });
}

/** Apps show codes in groups. */
function typedDigits(code: string): string {
  return code.replaceAll(/\s/g, '');
}
