import { ErasureStep } from '../gen/billing/erasure/v1/erasure';
import { enumNames } from './enum-names';

export const erasureSteps = enumNames(ErasureStep, 'ERASURE_STEP_');
