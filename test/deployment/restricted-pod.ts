/** Checks a pod against the restricted pod security standard, and against stricter rules. */
export function expectRestricted({
  automountServiceAccountToken,
  securityContext,
  containers: [container],
}: any): void {
  expect(automountServiceAccountToken).toBe(false);
  expect(securityContext).toMatchObject({
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  });
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
}
