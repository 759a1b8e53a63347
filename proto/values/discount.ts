import {
  DiscountDuration,
  DiscountType,
  RedemptionState,
} from '../gen/billing/discount/v1/discount';
import { enumNames } from './enum-names';

export const discountTypes = enumNames(DiscountType, 'DISCOUNT_TYPE_');
export const discountDurations = enumNames(DiscountDuration, 'DISCOUNT_DURATION_');
export const redemptionStates = enumNames(RedemptionState, 'REDEMPTION_STATE_');
