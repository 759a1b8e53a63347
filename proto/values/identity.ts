import { ClockKind } from '../gen/billing/identity/v1/identity';
import { enumNames } from './enum-names';

export const clockKinds = enumNames(ClockKind, 'CLOCK_KIND_');
