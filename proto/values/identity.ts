import { ClockKind } from '../gen/billing/identity/v1/identity';
import { Role } from '../gen/billing/identity/v1/operator';
import { enumNames } from './enum-names';

export const clockKinds = enumNames(ClockKind, 'CLOCK_KIND_');
export const operatorRoles = enumNames(Role, 'ROLE_');
