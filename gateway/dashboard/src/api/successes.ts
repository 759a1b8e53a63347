import { Toast } from '@base-ui/react/toast';
import type { Environment } from './session';

/** Message after a successful action; `href` leads to what was created. */
export interface Success {
  readonly text: string;
  /** Path below the environment: `/products/…`. */
  readonly href?: string;
  /** Environment of the path; absent: the selected one. */
  readonly environment?: Pick<Environment, 'kind' | 'id'>;
}

/** Queue of the messages, which `Toasts` shows. */
export const successes = Toast.createToastManager<{ readonly href?: string }>();
