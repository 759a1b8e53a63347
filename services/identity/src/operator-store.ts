import type { AggregateDefinition, Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { toStored } from '@billing/chassis/aggregate-document';
import { derivedId } from '@billing/chassis/ids';
import { retryTransient } from '@billing/chassis/mongo';
import type { Invitation } from './invitation';
import type { Operator, ProviderIdentity, Role } from './operator';
import type { OperatorSession } from './operator-session';

/** Operators, in the live environment of their organisation. */
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
    providerIdentity,
    sessionGeneration,
  }) => ({
    email,
    name,
    role,
    active,
    passwordHash: passwordHash ?? null,
    providerIdentity: providerIdentity ?? null,
    sessionGeneration,
  }),
  fromDocument: ({ _id, ...fields }) => ({
    id: _id,
    email: fields.email as string,
    name: fields.name as string,
    role: fields.role as Role,
    active: fields.active as boolean,
    passwordHash: (fields.passwordHash as string | null) ?? undefined,
    // Operators from before there were providers lack it.
    providerIdentity: (fields.providerIdentity as ProviderIdentity | null | undefined) ?? undefined,
    sessionGeneration: Number(fields.sessionGeneration),
  }),
};

/** Invitations, in the live environment of the organisation that one is invited to. */
export const invitations: AggregateDefinition<Invitation> = {
  collection: 'invitations',
  aggregate: 'invitation',
  resource: 'Invitation',
  toDocument: ({ role, email, expiresAt, acceptedBy }) => ({
    role,
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
  }),
};

/** Sessions, in the live environment of their operator's organisation. */
export const operatorSessions: AggregateDefinition<OperatorSession> = {
  collection: 'operatorSessions',
  aggregate: 'operator_session',
  resource: 'Session',
  toDocument: ({ operatorId, generation, expiresAt, lastUsedAt, endedAt }) => ({
    operatorId,
    generation,
    expiresAt,
    lastUsedAt,
    endedAt: endedAt ?? null,
  }),
  fromDocument: ({ _id, ...fields }) => ({
    id: _id,
    operatorId: fields.operatorId as string,
    generation: Number(fields.generation),
    expiresAt: fields.expiresAt as Date,
    lastUsedAt: fields.lastUsedAt as Date,
    endedAt: (fields.endedAt as Date | null) ?? undefined,
  }),
};

/** The id of whoever has that e-mail address, in all organisations. */
export function operatorId(email: string): string {
  return derivedId('operator', email);
}

/**
 * An aggregate in whichever environment. Asked only for ids that nobody can guess or that say themselves who is meant, where the answer says
 * whose the caller is: tokens, and the e-mail address at a log-in.
 */
export async function findAnywhere<S extends { readonly id: string }>(
  { documents, definition }: AggregateCollection<S>,
  id: string,
): Promise<Stored<S> | undefined> {
  const document = await retryTransient(() => documents.findOne({ _id: id }));
  return document === null ? undefined : toStored(definition, document);
}
