import { ClockKind, KeyCreatorKind } from '../gen/billing/identity/v1/identity';
import { AuditActorType, Role } from '../gen/billing/identity/v1/operator';
import { enumNames } from './enum-names';

export const clockKinds = enumNames(ClockKind, 'CLOCK_KIND_');
export const keyCreatorKinds = enumNames(KeyCreatorKind, 'KEY_CREATOR_KIND_');
export const auditActorTypes = enumNames(AuditActorType, 'AUDIT_ACTOR_TYPE_');
export const operatorRoles = enumNames(Role, 'ROLE_');
