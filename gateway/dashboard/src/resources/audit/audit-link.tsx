import { Link } from 'wouter';
import { useWorkspace } from '../../api/environment';
import { managementRefusal } from '../team-roles';

/** Link to the changes of an object in the audit log; absent for roles that may not read it. */
export function AuditLink({ id }: { id: string }) {
  const { role } = useWorkspace().session.operator;
  if (managementRefusal(role) !== undefined) return null;
  return (
    <Link className="button plain" href={`/audit-log?targetId=${id}`}>
      Change history
    </Link>
  );
}
