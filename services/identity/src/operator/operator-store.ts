import { type AggregateDefinition, type Stored, toStored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { derivedId } from '@billing/chassis/ids';
import { duplicateKeyIndex, ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import type { Invitation } from './invitation';
import {
  type Inviter,
  type Operator,
  operatorExists,
  type ProviderIdentity,
  type Role,
} from './operator';
import type { OperatorSession, Origin } from './session';
import type { ResetLink } from './reset-link';
import type { SecondFactor } from '../second-factor/second-factor';

/** Operators, in the live environment of their organization. */
export const operators: AggregateDefinition<Operator> = {
  collection: 'operators',
  aggregate: 'operator',
  resource: 'Operator',
  toDocument: ({
    email,
    name,
    role,
    active,
    passwordHash,
    passwordRequestId,
    providerIdentity,
    sessionGeneration,
    invitedBy,
    resetsAskedAt,
    hasUsedMailedLink,
    secondFactor,
    passwordAllowedUntil,
  }) => ({
    email,
    name,
    role,
    active,
    passwordHash: passwordHash ?? null,
    passwordRequestId: passwordRequestId ?? null,
    providerIdentity: providerIdentity ?? null,
    sessionGeneration,
    invitedBy: invitedBy ?? null,
    resetsAskedAt: [...resetsAskedAt],
    hasUsedMailedLink,
    secondFactor:
      secondFactor === undefined
        ? null
        : {
            ...secondFactor,
            confirmedAt: secondFactor.confirmedAt ?? null,
            recoveryHashes: [...secondFactor.recoveryHashes],
          },
    passwordAllowedUntil: passwordAllowedUntil ?? null,
  }),
  fromDocument: ({ _id, ...fields }) => ({
    id: _id,
    email: fields.email as string,
    name: fields.name as string,
    role: fields.role as Role,
    active: fields.active as boolean,
    passwordHash: (fields.passwordHash as string | null) ?? undefined,
    // Absent in operators of earlier releases.
    passwordRequestId: (fields.passwordRequestId as string | null | undefined) ?? undefined,
    // Absent in operators of releases without identity providers.
    providerIdentity: (fields.providerIdentity as ProviderIdentity | null | undefined) ?? undefined,
    sessionGeneration: Number(fields.sessionGeneration),
    // Absent in operators of earlier releases.
    invitedBy: (fields.invitedBy as Inviter | null | undefined) ?? undefined,
    // Absent in operators of earlier releases.
    resetsAskedAt: (fields.resetsAskedAt as Date[] | undefined) ?? [],
    // Absent in operators of earlier releases.
    hasUsedMailedLink: (fields.hasUsedMailedLink as boolean | undefined) ?? false,
    secondFactor: fromDocumentFactor(
      fields.secondFactor as SecondFactorDocument | null | undefined,
    ),
    passwordAllowedUntil: (fields.passwordAllowedUntil as Date | null | undefined) ?? undefined,
  }),
};

/** Absent in operators of earlier releases. */
interface SecondFactorDocument extends Omit<SecondFactor, 'confirmedAt' | 'lastStep'> {
  readonly confirmedAt: Date | null;
  readonly lastStep: number | bigint;
}

function fromDocumentFactor(
  stored: SecondFactorDocument | null | undefined,
): SecondFactor | undefined {
  if (stored === null || stored === undefined) return undefined;
  const { sealedSecret, confirmedAt, lastStep, recoveryHashes } = stored;
  return {
    sealedSecret,
    confirmedAt: confirmedAt ?? undefined,
    lastStep: Number(lastStep),
    recoveryHashes,
  };
}

/** Invitations, in the live environment of the inviting organization. */
export const invitations: AggregateDefinition<Invitation> = {
  collection: 'invitations',
  aggregate: 'invitation',
  resource: 'Invitation',
  toDocument: ({ role, email, expiresAt, acceptedBy, invitedBy }) => ({
    role,
    invitedBy: invitedBy ?? null,
    email: email ?? null,
    expiresAt,
    acceptedBy: acceptedBy ?? null,
  }),
  fromDocument: ({ _id, ...fields }) => ({
    id: _id,
    role: fields.role as Role,
    email: (fields.email as string | null) ?? undefined,
    expiresAt: fields.expiresAt as Date,
    acceptedBy: (fields.acceptedBy as string | null) ?? undefined,
    // Absent in invitations of earlier releases.
    invitedBy: (fields.invitedBy as Inviter | null | undefined) ?? undefined,
  }),
};

/** Sessions, in the live environment of their operator's organization. */
export const operatorSessions: AggregateDefinition<OperatorSession> = {
  collection: 'operatorSessions',
  aggregate: 'operator_session',
  resource: 'Session',
  toDocument: ({
    operatorId,
    generation,
    expiresAt,
    lastUsedAt,
    endedAt,
    origin,
    isByProvider,
  }) => ({
    operatorId,
    generation,
    expiresAt,
    lastUsedAt,
    endedAt: endedAt ?? null,
    origin: origin ?? null,
    isByProvider,
  }),
  fromDocument: ({ _id, ...fields }) => ({
    id: _id,
    operatorId: fields.operatorId as string,
    createdBy: (fields.createdBy as string | null | undefined) ?? undefined,
    generation: Number(fields.generation),
    expiresAt: fields.expiresAt as Date,
    lastUsedAt: fields.lastUsedAt as Date,
    endedAt: (fields.endedAt as Date | null) ?? undefined,
    // Absent in sessions of earlier releases.
    origin: (fields.origin as Origin | null | undefined) ?? undefined,
    // Absent in sessions of earlier releases.
    isByProvider: (fields.isByProvider as boolean | undefined) ?? false,
  }),
};

/** Links that set a new password, in the live environment of their operator's organization. */
export const resetLinks: AggregateDefinition<ResetLink> = {
  collection: 'resetLinks',
  aggregate: 'reset_link',
  resource: 'Reset link',
  toDocument: ({ operatorId, createdBy, isMailed, isOfMachine, generation, expiresAt }) => ({
    operatorId,
    createdBy: createdBy ?? null,
    isMailed,
    isOfMachine,
    generation,
    expiresAt,
  }),
  fromDocument: ({ _id, ...fields }) => ({
    id: _id,
    operatorId: fields.operatorId as string,
    createdBy: (fields.createdBy as string | null | undefined) ?? undefined,
    // Absent in links of earlier releases.
    isMailed: (fields.isMailed as boolean | undefined) ?? false,
    // Absent in links of earlier releases.
    isOfMachine: (fields.isOfMachine as boolean | undefined) ?? false,
    generation: Number(fields.generation),
    expiresAt: fields.expiresAt as Date,
  }),
};

/** Derives the id of a new operator from the email address, in all organizations. */
export function operatorId(email: string): string {
  return derivedId('operator', email);
}

/**
 * Finds an aggregate in any environment. Used only for ids that cannot be guessed or that name the
 * person (tokens, and the email address of a newcomer), where the answer determines the caller's
 * environment.
 */
export async function findAnywhere<S extends { readonly id: string }>(
  { documents, definition }: AggregateCollection<S>,
  id: string,
): Promise<Stored<S> | undefined> {
  const document = await retryTransient(() => documents.findOne({ _id: id }));
  return document === null ? undefined : toStored(definition, document);
}

const emailIndex = 'email';

/** Creates the index by which an email address has one operator, in all organizations. */
export async function ensureEmailIndex(operators: AggregateCollection<Operator>): Promise<void> {
  const index = { name: emailIndex, key: { email: 1 }, unique: true };
  await ensureIndexes(operators.documents, [index]);
}

/**
 * Finds the operator with an email address, in any organization; undefined for a text that is no
 * address, too.
 */
export async function findByEmail(
  { documents, definition }: AggregateCollection<Operator>,
  email: string,
): Promise<Stored<Operator> | undefined> {
  const query = { email: email.trim().toLowerCase() };
  const document = await retryTransient(() => documents.findOne(query));
  return document === null ? undefined : toStored(definition, document);
}

/** Finds the operator who has an email address or joined with it, in any organization. */
export async function findHolder(
  operators: AggregateCollection<Operator>,
  email: string,
): Promise<Stored<Operator> | undefined> {
  return (
    (await findByEmail(operators, email)) ?? (await findAnywhere(operators, operatorId(email)))
  );
}

/** Throws already_exists for a write of an address that another operator got at the same time. */
export async function withUniqueEmail<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (duplicateKeyIndex(error) === emailIndex) throw operatorExists();
    throw error;
  }
}
