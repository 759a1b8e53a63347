import { Toast } from '@base-ui/react/toast';

/** Message after a successful action; `href` leads to what was created. */
export interface Success {
  readonly text: string;
  /** Path below the environment: `/products/…`. */
  readonly href?: string;
}

/** Queue of the messages, which `Toasts` shows. */
export const successes = Toast.createToastManager<{ readonly href?: string }>();
