import { useWorkspace } from '../../api/environment';
import { useAction } from '../../api/queries';
import { Button } from '../../parts/element/buttons';
import { ErrorNotice, Notice } from '../../parts/element/notices';
import { type Email, reasonText } from '../../resources/email/email';
import { managementRefusal } from '../../resources/team-roles';

type TestEmail = Pick<Email, 'status' | 'reason'>;

/** Sends a test email to the operator, and shows the answer of the mail server. */
export function TestEmailButton() {
  const { email, role } = useWorkspace().session.operator;
  const test = useAction<object, TestEmail>(() => ({
    method: 'POST',
    path: '/dashboard/api/email-test',
    body: {},
  }));
  return (
    <>
      <div className="actions">
        <Button
          isBusy={test.isPending}
          refusal={managementRefusal(role)}
          onClick={() => test.mutate({})}
        >
          Send test email
        </Button>
      </div>
      {test.data !== undefined && (
        <Notice tone={test.data.status === 'SENT' ? 'good' : 'wait'}>
          <p>{outcomeText(test.data, email)}</p>
        </Notice>
      )}
      {test.error !== null && <ErrorNotice error={test.error} />}
    </>
  );
}

function outcomeText(result: TestEmail, email: string): string {
  return result.status === 'SENT'
    ? `The mail server accepted the test email to ${email}.`
    : `The test email was not sent. ${reasonText(result)}.`;
}
