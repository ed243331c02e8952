/**
 * Method and path of each operation that a command asks for, so that a call over HTTPS loads none of what describes
 * operations. test/commands/operation-paths.test.ts holds it to the table of operations.
 */
export const operationPaths = {
  explainAccess: 'GET /access/explain',
  readAccessMatrix: 'GET /access/matrix',
  listClients: 'GET /clients',
  createClient: 'POST /clients',
  readClient: 'GET /clients/{client}',
  updateClient: 'PATCH /clients/{client}',
  deleteClient: 'DELETE /clients/{client}',
  disableClient: 'POST /clients/{client}/disable',
  enableClient: 'POST /clients/{client}/enable',
  createClientSecret: 'POST /clients/{client}/secrets',
  deleteClientSecret: 'DELETE /clients/{client}/secrets/{secret}',
  readConfiguration: 'GET /configuration',
  createConfigurationPlan: 'POST /configuration/plans',
  applyConfigurationPlan: 'POST /configuration/plans/{plan}/apply',
  readConfigurationDrift: 'GET /configuration/drift',
  listMembers: 'GET /members',
  drainMember: 'POST /members/{member}/drain',
  undrainMember: 'POST /members/{member}/undrain',
  readMe: 'GET /me',
  listRoles: 'GET /roles',
  createRole: 'POST /roles',
  readRole: 'GET /roles/{role}',
  updateRole: 'PATCH /roles/{role}',
  deleteRole: 'DELETE /roles/{role}',
  listSettings: 'GET /settings',
} as const;
