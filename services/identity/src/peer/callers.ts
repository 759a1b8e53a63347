import type { Callers } from '@billing/chassis/callers';
import type { IdentityServiceServer } from '@billing/proto/billing/identity/v1/identity';
import type { LostCallServiceServer } from '@billing/proto/billing/identity/v1/lost_call';
import type { OperatorServiceServer } from '@billing/proto/billing/identity/v1/operator';
import type { RequestLogServiceServer } from '@billing/proto/billing/identity/v1/request_log';

// Services allowed to call each method, where client certificates identify the caller.

export const identityCallers: Callers<IdentityServiceServer> = {
  ensureOrganization: ['identity'],
  authenticate: ['gateway'],
  findEnvironment: ['gateway'],
  createApiKey: ['gateway'],
  listApiKeys: ['gateway'],
  revokeApiKey: ['gateway'],
  createSandbox: ['gateway'],
  getClock: ['gateway'],
  advanceClock: ['gateway'],
  stopClockAdvance: ['gateway'],
  listSandboxes: ['gateway'],
  updateSandbox: ['gateway'],
  deleteSandbox: ['gateway'],
  listRestores: ['gateway'],
  getRecovery: ['gateway'],
};

export const operatorCallers: Callers<OperatorServiceServer> = {
  inviteFirstOwner: ['identity'],
  getInvitation: ['gateway'],
  acceptInvitation: ['gateway'],
  logIn: ['gateway'],
  logInByProvider: ['gateway'],
  authenticateOperator: ['gateway'],
  logOut: ['gateway'],
  changePassword: ['gateway'],
  changeName: ['gateway'],
  changeEmail: ['gateway'],
  beginSecondFactor: ['gateway'],
  confirmSecondFactor: ['gateway'],
  deleteSecondFactor: ['gateway'],
  resetSecondFactor: ['gateway'],
  updateSignInRules: ['gateway'],
  listSessions: ['gateway'],
  endSession: ['gateway'],
  createResetLink: ['gateway'],
  askForResetLink: ['gateway'],
  createOwnerResetLink: ['identity'],
  getResetLink: ['gateway'],
  resetPassword: ['gateway'],
  listOperators: ['gateway'],
  inviteOperator: ['gateway'],
  updateOperator: ['gateway'],
  listEnvironments: ['gateway'],
  beginAuditEntry: ['gateway'],
  endAuditEntry: ['gateway'],
  listAuditEntries: ['gateway'],
  exportAuditEntries: ['gateway'],
};

export const requestLogCallers: Callers<RequestLogServiceServer> = {
  recordRequests: ['gateway'],
  listRequests: ['gateway'],
  getLoggedRequest: ['gateway'],
  getApiUse: ['gateway'],
};

export const lostCallCallers: Callers<LostCallServiceServer> = {
  recordLostCall: ['gateway'],
  claimLostCall: ['gateway'],
  forgetLostCall: ['gateway'],
  listLostCalls: ['gateway'],
};
