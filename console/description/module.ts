/** Descriptions of the console's own API and of the members' in OpenAPI, as the build has written them. */
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ProblemError, problems } from '../../platform/errors.ts';
import { builtFile } from '../../platform/installation.ts';
import { createDocument, type Document, sendDocument } from '../http/document.ts';
import type { Endpoint, EndpointRouter } from '../http/endpoints.ts';

export function addDescriptionRoutes(router: EndpointRouter): void {
  router.get('/api/openapi.json', written('console/openapi.json'));
  router.get('/api/members-openapi.json', written('console/members-openapi.json'));
}

/** Read when it is first asked for; it does not change while this program runs. */
function written(path: string): Endpoint {
  let document: Promise<Document> | undefined;
  return async (req: IncomingMessage, res: ServerResponse) => {
    document ??= read(path);
    sendDocument(req, res, await document);
  };
}

async function read(path: string): Promise<Document> {
  const text = await readFile(builtFile(path), 'utf8').catch((cause) => {
    throw new ProblemError(problems.notFound, 'This installation was built without it.', { cause });
  });
  return createDocument(JSON.parse(text) as object, { contentType: 'application/json', maxAgeSeconds: 0 });
}
