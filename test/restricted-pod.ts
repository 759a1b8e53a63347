/** Holds a pod to what a namespace demands that lets in none but restricted ones, and to less than it allows. */
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
