import { send } from '../../api/client';
import { useSessionChange } from '../../api/queries';
import { Button } from '../../parts/element/buttons';
import { SecondFactorSetup } from '../../resources/second-factor/second-factor-setup';
import { SessionPage } from './session-page';

/** Setup of a second factor that the organization requires before anything else. */
export function RequiredFactorPage({ onDone }: { onDone: () => void }) {
  const changed = useSessionChange();
  const signOut = async () => {
    await send({ method: 'DELETE', path: '/dashboard/api/session' });
    await changed();
  };
  return (
    <SessionPage title="Set up a second factor">
      <p>Your organization requires a second factor.</p>
      <SecondFactorSetup onDone={onDone} />
      <div className="actions">
        <Button tone="plain" onClick={() => void signOut()}>
          Sign out
        </Button>
      </div>
    </SessionPage>
  );
}
