import type { toJsonChoices } from '@billing/gateway/operator/choice-routes';

/** Options that forms offer. */
export type Choices = ReturnType<typeof toJsonChoices>;
