// Makes the lab's certificates: reads which ones from stdin, writes NAME.crt and NAME.key into a folder.
//
//	{"authority": "ca", "certificates": [{"name": "admin", "commonName": "admin", "groups": ["system:masters"]}]}
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"flag"
	"log"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

type order struct {
	Authority    string        `json:"authority"`
	Certificates []certificate `json:"certificates"`
}

type certificate struct {
	Name       string   `json:"name"`
	CommonName string   `json:"commonName"`
	Groups     []string `json:"groups"`
	Addresses  []net.IP `json:"addresses"`
	HostNames  []string `json:"hostNames"`
}

const validFor = 7 * 24 * time.Hour

func main() {
	folder := flag.String("folder", ".", "where the files go")
	flag.Parse()
	var wanted order
	if err := json.NewDecoder(os.Stdin).Decode(&wanted); err != nil {
		log.Fatalf("certificates: %v", err)
	}
	if err := issue(*folder, wanted); err != nil {
		log.Fatalf("certificates: %v", err)
	}
}

func issue(folder string, wanted order) error {
	// An hour back, for clocks that disagree.
	from := time.Now().Add(-time.Hour)
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: wanted.Authority},
		NotBefore: from, NotAfter: from.Add(validFor),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	authorityKey, err := write(folder, wanted.Authority, authority, authority, nil)
	if err != nil {
		return err
	}
	for i, c := range wanted.Certificates {
		template := &x509.Certificate{
			SerialNumber: big.NewInt(int64(i + 2)),
			Subject:      pkix.Name{CommonName: c.CommonName, Organization: c.Groups},
			NotBefore:    from, NotAfter: from.Add(validFor),
			IPAddresses: c.Addresses, DNSNames: c.HostNames,
			KeyUsage:    x509.KeyUsageDigitalSignature,
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		}
		if _, err := write(folder, c.Name, template, authority, authorityKey); err != nil {
			return err
		}
	}
	return nil
}

// write signs with signer, or with the new key itself when signer is nil.
func write(folder, name string, template, parent *x509.Certificate, signer *ecdsa.PrivateKey) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	if signer == nil {
		signer = key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		return nil, err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})
	if err := os.WriteFile(filepath.Join(folder, name+".key"), keyPEM, 0o600); err != nil {
		return nil, err
	}
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return key, os.WriteFile(filepath.Join(folder, name+".crt"), certPEM, 0o644)
}
