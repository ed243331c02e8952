import type { Role } from '../storage/records.ts';

/** The roles of this console, strongest first, each with what it opens in words for a page. */
export const roleMeanings: Readonly<Record<Role, string>> = {
  Admin: 'Reads and changes everything, on the cluster and here.',
  Viewer: 'Reads cluster information, health, map values, queue sizes and the state of CP and WAN.',
  MetricsViewer: 'Reads cluster information and health.',
};

export const roles = Object.keys(roleMeanings) as readonly Role[];

export function isRole(name: string): name is Role {
  return Object.hasOwn(roleMeanings, name);
}
