/** What is agreed on with peers that speak TLS: forward secrecy and authenticated encryption, always (S101, RFC 9325 §4.2). */

/** OpenSSL's names: all of TLS 1.3, and of TLS 1.2 ECDHE with AEAD. For servers and clients. */
export const tlsCiphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');
