import { Toast } from '@base-ui/react/toast';
import { CircleCheck, X } from 'lucide-react';
import { Link } from 'wouter';
import { successes } from '../../api/successes';

/** Messages about successful actions, at the edge of the window. */
export function Toasts() {
  return (
    <Toast.Provider toastManager={successes}>
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  const { toasts } = Toast.useToastManager<{ readonly href?: string }>();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast">
      <CircleCheck aria-hidden="true" />
      <Toast.Title className="toast-title" render={<p />} />
      {toast.data?.href !== undefined && <Link href={toast.data.href}>View</Link>}
      <Toast.Close className="button plain icon-only" aria-label="Close the message">
        <X aria-hidden="true" />
      </Toast.Close>
    </Toast.Root>
  ));
}
