// Shows an interface call by call, and tries calls as whoever is signed in. The list of calls on the page before needs no script.
import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import './explorer/explorer.css';
import { memberAnswerOf, tryAtMembers } from './explorer/member-calls.js';
import { mend } from './explorer/mend.js';
import { ownLayout } from './explorer/own-layout.js';

const place = document.getElementById('explorer');
const { description, csrf, calls } = place.dataset;
mend(place);
SwaggerUI({
  domNode: place,
  url: description,
  presets: [SwaggerUI.presets.apis],
  plugins: [ownLayout],
  layout: 'OwnLayout',
  // Code stands on the pages in the colour of text.
  syntaxHighlight: false,
  // Closed until somebody opens one: there are some hundred calls.
  docExpansion: 'none',
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  filter: true,
  validatorUrl: null,
  supportedSubmitMethods: calls === 'reads' ? ['get'] : ['get', 'put', 'post', 'patch', 'delete'],
  // What a program would send is shown, and not how this page does it.
  showMutatedRequest: false,
  // The session of this browser opens what a page of ours asks for, and nobody else's (S50).
  requestInterceptor(request) {
    const isOwn = new URL(request.url, window.location.href).origin === window.location.origin;
    if (!isOwn) return request;
    if (calls === 'reads') tryAtMembers(request);
    request.headers['X-CSRF-Token'] = csrf;
    return request;
  },
  responseInterceptor: (response) => (calls === 'reads' ? memberAnswerOf(response) : response),
});
