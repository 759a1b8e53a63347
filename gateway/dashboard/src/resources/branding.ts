import type { toJsonBranding } from '@billing/proto/json/branding';

export type Branding = ReturnType<typeof toJsonBranding>;
