import { Link } from 'wouter';
import { useWorkspace } from '../api/environment';
import { Notice } from '../parts/element/notices';
import { Instant } from '../parts/element/values';

/** Tells on every page that the system was restored, for 30 days. */
export function RestoredNotice() {
  const restore = useWorkspace().session.recovery?.restore;
  if (restore === undefined || restore === null) return null;
  const { instant, usageToResend } = restore;
  return (
    <Notice tone="wait">
      <p>
        <strong>
          Restored to <Instant at={instant} />.
        </strong>{' '}
        Send usage events from then to <Instant at={usageToResend.until} /> again.{' '}
        <Link href="/system">What else to do</Link>
      </p>
    </Notice>
  );
}
